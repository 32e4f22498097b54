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

    private RdmaChannelOption() {}
}
