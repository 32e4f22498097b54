// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.netty;

import io.netty.channel.ChannelOption;

/** Options of channels over RDMA, besides those that they share with channels over TCP. */
public final class RdmaChannelOption {

    /** How many messages may be under way: rsocket's {@code RDMA_SQSIZE}. */
    public static final ChannelOption<Integer> SEND_QUEUE =
            ChannelOption.valueOf(RdmaChannelOption.class, "SEND_QUEUE");

    /** How many messages the peer may send before it gets new credits: rsocket's {@code RDMA_RQSIZE}. */
    public static final ChannelOption<Integer> RECEIVE_QUEUE =
            ChannelOption.valueOf(RdmaChannelOption.class, "RECEIVE_QUEUE");

    /** The largest message that goes inline, in bytes: rsocket's {@code RDMA_INLINE}. */
    public static final ChannelOption<Integer> INLINE = ChannelOption.valueOf(RdmaChannelOption.class, "INLINE");

    /**
     * How many received bytes a program may keep before what arrives is copied, by default 256 KiB. A channel reads into
     * {@linkplain io.netty.buffer.ByteBuf buffers} that are where the peer has written. Their memory counts in halves of
     * {@code SO_RCVBUF}, each until all buffers in it are released, and a channel pins so much more memory as is kept. With
     * 0 everything is copied: choose that if it matters that a peer can change what it has sent while a program reads it.
     * Counts at once.
     */
    public static final ChannelOption<Integer> MAX_KEPT = ChannelOption.valueOf(RdmaChannelOption.class, "MAX_KEPT");

    /**
     * Whether a channel speaks Valkey over RDMA, and not rsocket's protocol; of a server, whether those that it accepts do.
     * Its peer must speak the same. Valkey calls the protocol experimental: it can change with any version of Valkey. It has
     * no half close, so {@code shutdownOutput} fails. By default false.
     */
    public static final ChannelOption<Boolean> VALKEY = ChannelOption.valueOf(RdmaChannelOption.class, "VALKEY");

    private RdmaChannelOption() {}
}
