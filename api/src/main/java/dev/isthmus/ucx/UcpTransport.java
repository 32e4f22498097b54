// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

/**
 * A transport that an endpoint uses: {@code ucp_transport_entry_t}.
 *
 * @param name the transport, such as {@code tcp} or {@code rc_verbs}
 * @param device the device, such as {@code eth0} or {@code mlx5_0:1}
 */
public record UcpTransport(String name, String device) {}
