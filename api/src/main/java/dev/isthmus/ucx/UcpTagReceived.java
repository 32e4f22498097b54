// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

/**
 * A message that was received: {@code ucp_tag_recv_info_t}.
 *
 * @param length the length of the message, in bytes
 * @param senderTag the tag that the sender gave it, which differs from the one asked for where the mask has zeros
 */
public record UcpTagReceived(long length, long senderTag) {}
