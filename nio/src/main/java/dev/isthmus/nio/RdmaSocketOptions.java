// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import java.net.SocketOption;

/**
 * Options of sockets over RDMA beyond {@link java.net.StandardSocketOptions}. You can set all of them until the socket
 * is connected. Accepted sockets inherit those of the server socket. A system property {@code isthmus.nio.NAME} sets
 * the default of each number for all sockets.
 */
public final class RdmaSocketOptions {

    /**
     * How many messages may be under way: {@code RDMA_SQSIZE} of rsocket(7). Property {@code sendQueue}, default 384.
     */
    public static final SocketOption<Integer> SEND_QUEUE = new Option("SEND_QUEUE");

    /**
     * How many messages the peer may send before it gets new credits: {@code RDMA_RQSIZE}. Property
     * {@code receiveQueue}, default 384.
     */
    public static final SocketOption<Integer> RECEIVE_QUEUE = new Option("RECEIVE_QUEUE");

    /** How long a message may be to go inline, in bytes: {@code RDMA_INLINE}. Property {@code inline}, default 64. */
    public static final SocketOption<Integer> INLINE = new Option("INLINE");

    /**
     * How many microseconds a waiting thread polls before it sleeps: {@code polling_time} of rsocket(7). Property
     * {@code polling}, default 10.
     */
    public static final SocketOption<Integer> POLLING = new Option("POLLING");

    /**
     * How many regions the peer may map at a time, for {@link RdmaSocketChannel#iowrite} to write to:
     * {@code RDMA_IOMAPSIZE}. At most 32512; more than 128 are rounded down to a multiple of 256, or to 128. Property
     * {@code iomapSize}, default 0.
     */
    public static final SocketOption<Integer> IOMAP_SIZE = new Option("IOMAP_SIZE");

    /**
     * Whether the socket speaks Valkey over RDMA, and not rsocket's protocol. Its peer must speak the same. Default false;
     * no property, as the rules say it by address: {@code connect 10.0.0.2 6379 valkey}.
     */
    public static final SocketOption<Boolean> VALKEY = new Flag("VALKEY");

    private RdmaSocketOptions() {}

    private record Flag(String name) implements SocketOption<Boolean> {

        @Override
        public Class<Boolean> type() {
            return Boolean.class;
        }

        @Override
        public String toString() {
            return name;
        }
    }

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
