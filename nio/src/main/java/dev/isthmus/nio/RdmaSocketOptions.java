// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import java.net.SocketOption;

/**
 * Options of sockets over RDMA beyond those of {@link java.net.StandardSocketOptions}. All can be set until the socket is
 * connected; those of a server socket are inherited by what it accepts. A system property {@code isthmus.nio.NAME} sets the
 * default of each for all sockets.
 */
public final class RdmaSocketOptions {

    /** How many messages may be under way: {@code RDMA_SQSIZE} of rsocket(7). Property {@code sendQueue}, else 384. */
    public static final SocketOption<Integer> SEND_QUEUE = new Option("SEND_QUEUE");

    /** How many messages the peer may send until it hears of them: {@code RDMA_RQSIZE}. Property {@code receiveQueue}, else 384. */
    public static final SocketOption<Integer> RECEIVE_QUEUE = new Option("RECEIVE_QUEUE");

    /** Messages up to so many bytes go along with the request: {@code RDMA_INLINE}. Property {@code inline}, else 64. */
    public static final SocketOption<Integer> INLINE = new Option("INLINE");

    /**
     * For how many microseconds a thread looks for what it waits for before it sleeps: {@code polling_time} of rsocket(7).
     * Property {@code polling}, else 10.
     */
    public static final SocketOption<Integer> POLLING = new Option("POLLING");

    private RdmaSocketOptions() {}

    private record Option(String name) implements SocketOption<Integer> {

        @Override
        public Class<Integer> type() {
            return Integer.class;
        }

        @Override
        public String toString() {
            return name;
        }
    }
}
