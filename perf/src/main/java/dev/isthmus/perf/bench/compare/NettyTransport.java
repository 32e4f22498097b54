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

/** What carries the bytes of a program on Netty. */
enum NettyTransport {
    /** {@code java.nio} of the JDK: TCP. */
    NIO,
    /** Netty's own, by JNI. */
    EPOLL,
    /** {@code java.nio}, over RDMA. */
    RDMA;

    private static final SelectorProvider OVER_RDMA = new RdmaSelectorProvider();

    IoHandlerFactory ioHandler() {
        return switch (this) {
            case NIO -> NioIoHandler.newFactory();
            case EPOLL -> EpollIoHandler.newFactory();
            case RDMA -> NioIoHandler.newFactory(OVER_RDMA);
        };
    }

    void channels(ServerBootstrap bootstrap) {
        switch (this) {
            case NIO -> bootstrap.channel(NioServerSocketChannel.class);
            case EPOLL -> bootstrap.channel(EpollServerSocketChannel.class);
            case RDMA -> bootstrap.channelFactory(() -> new NioServerSocketChannel(OVER_RDMA));
        }
    }

    void channels(Bootstrap bootstrap) {
        switch (this) {
            case NIO -> bootstrap.channel(NioSocketChannel.class);
            case EPOLL -> bootstrap.channel(EpollSocketChannel.class);
            case RDMA -> bootstrap.channelFactory(() -> new NioSocketChannel(OVER_RDMA));
        }
    }
}
