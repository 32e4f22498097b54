// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

/**
 * A message that was received: {@code ucp_tag_recv_info_t}.
 *
 * @param length the length of the message, in bytes
 * @param senderTag the sender's tag, which differs from the requested one in bits that the mask ignores
 */
public record UcpTagReceived(long length, long senderTag) {}
