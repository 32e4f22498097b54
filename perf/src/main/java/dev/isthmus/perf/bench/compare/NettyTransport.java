// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.nio.RdmaSelectorProvider;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.nio.channels.spi.SelectorProvider;

/** What carries the bytes of a program on Netty: the JDK's TCP, Netty's own by JNI, or {@code java.nio} over RDMA. */
final class NettyTransport {

    private static final SelectorProvider OVER_RDMA = new RdmaSelectorProvider();

    private NettyTransport() {}

    static IoHandlerFactory ioHandler(Way way) {
        return switch (way) {
            case NETTY_EPOLL -> EpollIoHandler.newFactory();
            case NETTY_RDMA -> NioIoHandler.newFactory(OVER_RDMA);
            default -> NioIoHandler.newFactory();
        };
    }

    static void channels(Way way, ServerBootstrap bootstrap) {
        switch (way) {
            case NETTY_EPOLL -> bootstrap.channel(EpollServerSocketChannel.class);
            case NETTY_RDMA -> bootstrap.channelFactory(() -> new NioServerSocketChannel(OVER_RDMA));
            default -> bootstrap.channel(NioServerSocketChannel.class);
        }
    }

    static void channels(Way way, Bootstrap bootstrap) {
        switch (way) {
            case NETTY_EPOLL -> bootstrap.channel(EpollSocketChannel.class);
            case NETTY_RDMA -> bootstrap.channelFactory(() -> new NioSocketChannel(OVER_RDMA));
            default -> bootstrap.channel(NioSocketChannel.class);
        }
    }
}
