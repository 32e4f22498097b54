// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.netty;

import com.sun.management.ThreadMXBean;
import dev.isthmus.nio.RdmaSelectorProvider;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.lang.management.ManagementFactory;
import java.nio.channels.spi.SelectorProvider;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;

/**
 * What a message costs that one connection carries and echoes, both ends on one event loop: {@code MessageCosts
 * module|provider BYTES...}. With {@code provider} it is Netty's NIO on the provider of sockets over RDMA. Where a
 * nanosecond is an instruction ({@code testbed --icount}), it says how many of them a message takes.
 */
final class MessageCosts {

    private static final int BLOCKS = 9;
    private static final int BLOCK_MESSAGES = 768; // a multiple of those after which a reader grants room
    private static final int WARM_UP_MESSAGES = 8000; // round trips, for C2
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private MessageCosts() {}

    /** Prints a line for each size. */
    public static void main(String... args) throws InterruptedException {
        boolean isModule = args[0].equals("module");
        SelectorProvider provider = isModule ? null : new RdmaSelectorProvider();
        IoHandlerFactory handlers = isModule ? RdmaIoHandler.newFactory() : NioIoHandler.newFactory(provider);
        ChannelFactory<ServerChannel> servers =
                isModule ? RdmaServerSocketChannel::new : () -> new NioServerSocketChannel(provider);
        ChannelFactory<Channel> clients = isModule ? RdmaSocketChannel::new : () -> new NioSocketChannel(provider);
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, handlers);
        try {
            for (String bytes : Arrays.asList(args).subList(1, args.length)) {
                measure(args[0], group, servers, clients, Integer.parseInt(bytes));
            }
        } finally {
            group.shutdownGracefully().await();
        }
    }

    private static void measure(
            String title,
            EventLoopGroup group,
            ChannelFactory<ServerChannel> servers,
            ChannelFactory<Channel> clients,
            int bytes)
            throws InterruptedException {
        Channel server = new ServerBootstrap()
                .group(group)
                .channelFactory(servers)
                .childHandler(new EchoHandler())
                .bind(Pairs.far(0))
                .sync()
                .channel();
        var pings = new Pings(bytes, WARM_UP_MESSAGES);
        Channel client = new Bootstrap()
                .group(group)
                .channelFactory(clients)
                .handler(pings)
                .connect(server.localAddress())
                .sync()
                .channel();
        pings.over.await();
        client.close().sync();
        server.close().sync();
        System.out.println(title + " " + bytes + " B: " + pings.result());
    }

    /** A client that sends a message when the one before has come back. */
    static final class Pings extends ChannelInboundHandlerAdapter {

        final CountDownLatch over = new CountDownLatch(1);
        private final int bytes;
        private final long[] nanos = new long[BLOCKS]; // of each block
        private final long[] allocated = new long[BLOCKS];
        private int left; // round trips of this block
        private int block = -1;
        private int missing; // bytes of the current round trip
        private long begin;
        private long beginAllocated;
        private long copied;

        /** Takes the size of a message, and how many round trips to make before it measures. */
        Pings(int bytes, int warmUp) {
            this.bytes = bytes;
            this.left = warmUp;
        }

        private static long copiedBytes() {
            RdmaCounters total = RdmaCounters.total();
            return total.copiedSentBytes() + total.copiedReceivedBytes();
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            send(context);
        }

        private void send(ChannelHandlerContext context) {
            missing = bytes;
            ByteBuf message = context.alloc().directBuffer(bytes).writerIndex(bytes);
            ChannelFuture _ = context.writeAndFlush(message, context.voidPromise());
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf some = (ByteBuf) message;
            missing -= some.readableBytes();
            some.release();
            if (missing == 0 && (--left > 0 || goOn())) {
                send(context);
            }
        }

        /** Ends a block; returns whether another one follows. */
        private boolean goOn() {
            long now = System.nanoTime();
            if (block >= 0) {
                nanos[block] = now - begin;
                allocated[block] = THREADS.getCurrentThreadAllocatedBytes() - beginAllocated;
            } else {
                copied = copiedBytes();
            }
            if (++block == BLOCKS) {
                copied = copiedBytes() - copied;
                over.countDown();
                return false;
            }
            left = BLOCK_MESSAGES / 2;
            beginAllocated = THREADS.getCurrentThreadAllocatedBytes();
            begin = System.nanoTime();
            return true;
        }

        String result() {
            long[] sorted = nanos.clone();
            Arrays.sort(sorted);
            return String.format(
                    Locale.ROOT,
                    "%,d ns a message (median of %d blocks; %,d to %,d),"
                            + " %.2f B copied by the channels, %d B allocated a block at least",
                    sorted[BLOCKS / 2] / BLOCK_MESSAGES,
                    BLOCKS,
                    sorted[0] / BLOCK_MESSAGES,
                    sorted[BLOCKS - 1] / BLOCK_MESSAGES,
                    copied / (double) (BLOCKS * BLOCK_MESSAGES),
                    leastAllocated());
        }

        /** The bytes that the thread allocated in the block in which it allocated least. */
        long leastAllocated() {
            return Arrays.stream(allocated).min().orElseThrow();
        }

        /** The bytes that channels copied in all blocks. */
        long copied() {
            return copied;
        }
    }
}
