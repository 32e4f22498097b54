// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.netty.RdmaByteBufAllocator;
import dev.isthmus.netty.RdmaIoHandler;
import dev.isthmus.netty.RdmaServerSocketChannel;
import dev.isthmus.netty.RdmaSocketChannel;
import dev.isthmus.nio.RdmaSelectorProvider;
import dev.isthmus.perf.common.Spent;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** An end of a benchmark over Netty. One event loop has all of its connections. */
record NettyJob(Job job) {

    private static final SelectorProvider OVER_RDMA = new RdmaSelectorProvider();

    /** What carries the bytes. */
    private record Transport(
            IoHandlerFactory ioHandler,
            ChannelFactory<ServerSocketChannel> servers,
            ChannelFactory<SocketChannel> clients,
            ByteBufAllocator allocator) {

        private Transport(
                IoHandlerFactory ioHandler,
                ChannelFactory<ServerSocketChannel> servers,
                ChannelFactory<SocketChannel> clients) {
            this(ioHandler, servers, clients, UnpooledByteBufAllocator.DEFAULT);
        }

        static Transport of(Way way) {
            return switch (way) {
                case NETTY_EPOLL ->
                    new Transport(EpollIoHandler.newFactory(), EpollServerSocketChannel::new, EpollSocketChannel::new);
                case NETTY_PROVIDER ->
                    new Transport(
                            NioIoHandler.newFactory(OVER_RDMA),
                            () -> new NioServerSocketChannel(OVER_RDMA),
                            () -> new NioSocketChannel(OVER_RDMA));
                case NETTY_RDMA ->
                    new Transport(
                            RdmaIoHandler.newFactory(),
                            RdmaServerSocketChannel::new,
                            RdmaSocketChannel::new,
                            RdmaByteBufAllocator.DEFAULT);
                default -> new Transport(NioIoHandler.newFactory(), NioServerSocketChannel::new, NioSocketChannel::new);
            };
        }
    }

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

    Measured run() throws IOException {
        return job.isClient() ? ask() : serve();
    }

    /** Runs on a group's event loop. */
    private interface Task {
        Measured run(EventLoopGroup group, Transport transport, ByteBuf message)
                throws IOException, InterruptedException;
    }

    private Measured inGroup(Task task) throws IOException {
        Transport transport = Transport.of(job.point().way());
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, transport.ioHandler());
        ByteBuf message = transport.allocator().directBuffer(job.bytes()).writeZero(job.bytes());
        try {
            return task.run(group, transport, message);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("interrupted").initCause(e);
        } finally {
            group.shutdownGracefully(0, 10, TimeUnit.SECONDS).awaitUninterruptibly();
            message.release();
        }
    }

    /** Listens, and runs the server's end until all clients have left. */
    private Measured serve() throws IOException {
        return inGroup((group, transport, message) -> {
            var served = new ConcurrentLinkedQueue<CompletableFuture<Void>>();
            var first = new CompletableFuture<Void>();
            var all = new CompletableFuture<Void>();
            var bootstrap = new ServerBootstrap()
                    .group(group)
                    .channelFactory(transport.servers())
                    .option(ChannelOption.SO_REUSEADDR, true)
                    .option(ChannelOption.SO_BACKLOG, BACKLOG)
                    .childOption(ChannelOption.TCP_NODELAY, true)
                    .childHandler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            // A client that gives up, and connects again, leaves one that never says anything.
                            channel.pipeline().addLast(new NettyEnd(job, served.size(), message, end -> {
                                served.add(end.over());
                                first.complete(null);
                                if (served.size() == job.connections()) {
                                    all.complete(null);
                                }
                            }));
                        }
                    });
            ChannelFuture bound = bootstrap.bind(job.serverAddress());
            try {
                check(bound);
                await(first); // all are connected by then
                Spent before = Spent.soFar();
                await(all);
                for (CompletableFuture<Void> end : served) {
                    await(end);
                }
                return Measured.NOTHING.withSpent(Spent.soFar().since(before));
            } finally {
                // A loop that is told to end without a quiet period may end before it has closed its channels.
                bound.channel().close().awaitUninterruptibly();
            }
        });
    }

    /** Connects, and runs the client's end. */
    private Measured ask() throws IOException {
        return inGroup((group, transport, message) -> {
            List<NettyEnd> made = new ArrayList<>();
            for (int i = 0; i < job.connections(); i++) {
                made.add(connect(group, transport, message, i));
            }
            Spent before = Spent.soFar();
            long begin = System.nanoTime();
            if (job.benchmark() == Benchmark.FIXED_RATE) {
                beginOnTime(made, begin);
            } else {
                made.forEach(NettyEnd::begin);
            }
            for (NettyEnd end : made) {
                await(end.over());
            }
            long nanos = System.nanoTime() - begin;
            Spent spent = Spent.soFar().since(before);
            for (NettyEnd end : made) {
                end.close().await();
            }
            return Trips.together(job, made.stream().map(NettyEnd::trips).toList(), nanos)
                    .withSpent(spent);
        });
    }

    /** The connections take turns, as their timetables do. */
    private void beginOnTime(List<NettyEnd> made, long start) {
        made.forEach(end -> end.trips().start(start));
        for (long i = 0; i < job.iterations(); i++) {
            made.forEach(NettyEnd::beginNext);
        }
    }

    /** Tries until the server listens. */
    private NettyEnd connect(EventLoopGroup group, Transport transport, ByteBuf message, int connection)
            throws IOException, InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            var end = new NettyEnd(job, connection, message);
            var bootstrap = new Bootstrap()
                    .group(group)
                    .channelFactory(transport.clients())
                    .option(ChannelOption.TCP_NODELAY, true)
                    .handler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            channel.pipeline().addLast(end);
                        }
                    });
            ChannelFuture made = bootstrap.connect(
                    job.serverAddress(), new InetSocketAddress(job.local().address(), 0));
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

    private static void await(CompletableFuture<Void> future) throws IOException, InterruptedException {
        try {
            future.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException cause ? cause : new IOException(e.getCause());
        } catch (TimeoutException e) {
            throw new IOException("the other end did not do its part within " + PATIENCE.toMinutes() + " minutes", e);
        }
    }
}
