// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.netty;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.TestDeadlines;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.net.InetSocketAddress;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Servers and clients of this transport, for tests. */
final class Pairs implements AutoCloseable {

    static final long DEADLINE_SECONDS = TestDeadlines.seconds(60);

    final EventLoopGroup group;
    final BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();

    /** Takes how many event loops there are. */
    Pairs(int loops) {
        group = new MultiThreadIoEventLoopGroup(loops, RdmaIoHandler.newFactory());
    }

    /** The address of servers, which a device has. */
    static InetSocketAddress far(int port) {
        return new InetSocketAddress(System.getenv("ISTHMUS_ADDRESSES").split(" ", 2)[1], port);
    }

    ServerBootstrap server(Supplier<ChannelHandler> handler) {
        return new ServerBootstrap()
                .group(group)
                .channel(RdmaServerSocketChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                            @Override
                            public void channelActive(ChannelHandlerContext context) {
                                context.fireChannelActive();
                                accepted.add(channel);
                            }
                        });
                        channel.pipeline().addLast(handler.get());
                    }
                });
    }

    Channel listen(Supplier<ChannelHandler> handler) throws InterruptedException {
        return server(handler).bind(far(0)).sync().channel();
    }

    Bootstrap client(ChannelHandler handler) {
        return new Bootstrap()
                .group(group)
                .channel(RdmaSocketChannel.class)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, Math.toIntExact(1000 * DEADLINE_SECONDS))
                .handler(handler);
    }

    Channel connect(Channel server, ChannelHandler handler) throws InterruptedException {
        return client(handler).connect(server.localAddress()).sync().channel();
    }

    /** The next channel that a server has accepted. */
    Channel accepted() throws InterruptedException {
        Channel next = accepted.poll(DEADLINE_SECONDS, TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("nobody has connected");
        }
        return next;
    }

    /** Bytes to send. */
    static byte[] random(int count, long seed) {
        byte[] bytes = new byte[count];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    /** The channel gives a buffer back soon after the last byte, without more traffic. */
    static void awaitRelease(ByteBuf buffer) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(Pairs.DEADLINE_SECONDS);
        while (buffer.refCnt() > 0) {
            assertTrue(System.nanoTime() < end, () -> buffer + " is still held");
            Thread.sleep(5); // nothing reports a release
        }
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, DEADLINE_SECONDS, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
