// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.common.Spent;
import dev.isthmus.perf.common.Timetable;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One end of a benchmark over Netty, and what both ends must agree on. One event loop of an end has all of
 * its connections.
 *
 * @param ends the job of non-blocking sockets that it corresponds to
 */
record NettyJob(NettyTransport transport, NioJob ends) {

    /** Time for the other JVM to get ready, and for a run. */
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    /** Between attempts to connect to a server that is about to listen, which nothing announces. */
    private static final long RETRY_MILLIS = 20;

    private static final int BACKLOG = 256;

    static {
        // Otherwise Netty takes whichever logging it finds on the class path, which may complain that it has
        // no implementation.
        InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE);
    }

    /** The words that {@link #parse} reads. */
    String format() {
        return transport + " " + ends.format();
    }

    static NettyJob parse(List<String> words) {
        return new NettyJob(NettyTransport.valueOf(words.getFirst()), NioJob.parse(words.subList(1, words.size())));
    }

    /** Runs on a group's event loop. */
    private interface Task {
        Measured run(EventLoopGroup group, ByteBuf message) throws IOException, InterruptedException;
    }

    private Measured inGroup(Task task) throws IOException {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, transport.ioHandler());
        ByteBuf message = Unpooled.directBuffer(ends.bytes()).writeZero(ends.bytes());
        try {
            return task.run(group, message);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("interrupted").initCause(e);
        } finally {
            group.shutdownGracefully(0, 10, TimeUnit.SECONDS).awaitUninterruptibly();
            message.release();
        }
    }

    /** Listens, and runs the server's end until all clients have left. */
    Measured serve() throws IOException {
        return inGroup((group, message) -> {
            var served = new ConcurrentLinkedQueue<CompletableFuture<Measured>>();
            var all = new CompletableFuture<Void>();
            var bootstrap = new ServerBootstrap()
                    .group(group)
                    .option(ChannelOption.SO_REUSEADDR, true)
                    .option(ChannelOption.SO_BACKLOG, BACKLOG)
                    .childOption(ChannelOption.TCP_NODELAY, true)
                    .childHandler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            var end = new NettyEnd(ends, false, message, null);
                            channel.pipeline().addLast(end);
                            served.add(end.measured());
                            if (served.size() == ends.connections()) {
                                all.complete(null);
                            }
                        }
                    });
            transport.channels(bootstrap);
            ChannelFuture bound = bootstrap.bind(new InetSocketAddress(ends.local(), ends.port()));
            try {
                check(bound);
                await(all);
                Spent before = Spent.soFar();
                for (CompletableFuture<Measured> end : served) {
                    await(end);
                }
                return VerbsJob.NOTHING.withSpent(Spent.soFar().since(before));
            } finally {
                // A loop that is told to end without a quiet period may end before it has closed its channels.
                bound.channel().close().awaitUninterruptibly();
            }
        });
    }

    /** Connects, and runs the client's end. */
    Measured ask() throws IOException {
        return inGroup((group, message) -> {
            List<NettyEnd> made = new ArrayList<>();
            boolean fixed = ends.benchmark() == Benchmark.FIXED_RATE;
            for (int i = 0; i < ends.connections(); i++) {
                made.add(connect(group, message, fixed ? ends.timetable(i) : null));
            }
            Spent before = Spent.soFar();
            long begin = System.nanoTime();
            if (fixed) {
                beginOnTime(made, begin);
            } else {
                made.forEach(NettyEnd::begin);
            }
            List<Measured> measured = new ArrayList<>();
            for (NettyEnd end : made) {
                measured.add(await(end.measured()));
            }
            long nanos = System.nanoTime() - begin;
            Spent spent = Spent.soFar().since(before);
            for (NettyEnd end : made) {
                end.close().await();
            }
            Measured whole = ends.benchmark().isRoundTrip() ? ends.together(measured) : ends.rate(nanos);
            return whole.withSpent(spent);
        });
    }

    /** The connections take turns, as their timetables do. */
    private void beginOnTime(List<NettyEnd> made, long start) {
        made.forEach(end -> end.start(start));
        for (long i = 0; i < ends.iterations(); i++) {
            made.forEach(NettyEnd::beginNext);
        }
    }

    /** Tries until the server listens. */
    private NettyEnd connect(EventLoopGroup group, ByteBuf message, Timetable timetable)
            throws IOException, InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            var end = new NettyEnd(ends, true, message, timetable);
            var bootstrap = new Bootstrap()
                    .group(group)
                    .option(ChannelOption.TCP_NODELAY, true)
                    .handler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            channel.pipeline().addLast(end);
                        }
                    });
            transport.channels(bootstrap);
            ChannelFuture made = bootstrap.connect(
                    new InetSocketAddress(ends.remote(), ends.port()), new InetSocketAddress(ends.local(), 0));
            try {
                check(made);
                return end;
            } catch (ConnectException e) {
                if (System.nanoTime() > deadline) {
                    throw e;
                }
                Thread.sleep(RETRY_MILLIS);
            }
        }
    }

    private static void check(ChannelFuture future) throws IOException, InterruptedException {
        if (!future.await().isSuccess()) {
            throw future.cause() instanceof IOException e ? e : new IOException(future.cause());
        }
    }

    private static <T> T await(CompletableFuture<T> future) throws IOException, InterruptedException {
        try {
            return future.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException cause ? cause : new IOException(e.getCause());
        } catch (TimeoutException e) {
            throw new IOException("the other end did not do its part within " + PATIENCE.toMinutes() + " minutes", e);
        }
    }
}
