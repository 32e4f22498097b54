// SPDX-License-Identifier: Apache-2.0
/**
 * A transport for Netty 4.2 over RDMA: use {@link dev.isthmus.netty.RdmaIoHandler#newFactory}, {@link
 * dev.isthmus.netty.RdmaSocketChannel} and {@link dev.isthmus.netty.RdmaServerSocketChannel} as you use Netty's own for
 * epoll. Its peers are programs that speak rsocket's wire protocol: those on this transport or on {@code
 * dev.isthmus.nio}, and C programs under librspreload.so.
 *
 * {@snippet :
 * EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
 * Channel server = new ServerBootstrap()
 *         .group(group)
 *         .channel(RdmaServerSocketChannel.class)
 *         .childHandler(new EchoHandler())
 *         .bind(7000)
 *         .sync()
 *         .channel();
 * }
 */
package dev.isthmus.netty;
