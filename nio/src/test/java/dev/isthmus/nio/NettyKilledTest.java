// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.ChildJvm;
import dev.isthmus.testbed.ChildProgram;
import dev.isthmus.testbed.ConnectionTransport;
import dev.isthmus.testbed.TestDeadlines;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a program on Netty sees when the process of its peer is killed, be it the server or the client. The peer does
 * not read, so that writes are under way: then the kernel's TCP, too, resets the connection.
 */
@Tag("device")
@Tag("extended")
class NettyKilledTest {

    private static final Duration MOST = TestDeadlines.ofSeconds(180); // on emulated processors
    private static final int BLOCK = 65_536;

    /** The transports: what is asserted of RDMA also holds for TCP. */
    enum Way {
        TCP,
        RDMA;

        SelectorProvider provider() {
            return this == TCP ? JdkProvider.get() : RdmaSelectorProvider.shared();
        }
    }

    /** A peer in a JVM of its own, which has a connection and never reads: {@code Silent WAY SERVER_PORT}, or 0 to be the server. */
    static final class Silent {

        private Silent() {}

        public static void main(String[] args) throws Exception {
            SelectorProvider provider = Way.valueOf(args[0]).provider();
            int port = Integer.parseInt(args[1]);
            if (port == 0) {
                ServerSocketChannel server = provider.openServerSocketChannel();
                server.bind(new InetSocketAddress(Hosts.far(), 0));
                System.out.println("port " + ((InetSocketAddress) server.getLocalAddress()).getPort());
                System.out.println("accepted " + server.accept());
            } else {
                SocketChannel client = provider.openSocketChannel();
                client.connect(new InetSocketAddress(Hosts.far(), port));
                System.out.println("connected " + client);
            }
            new CountDownLatch(1).await(); // until it is killed
        }
    }

    /** The side that lives: it writes, once or endlessly, and keeps what Netty reports. */
    private static final class Survivor extends ChannelInboundHandlerAdapter {

        private final boolean goesOn;
        final CompletableFuture<Void> started = new CompletableFuture<>();
        final CompletableFuture<Void> write = new CompletableFuture<>();
        final CompletableFuture<Throwable> caught = new CompletableFuture<>();
        final CompletableFuture<Void> inactive = new CompletableFuture<>();

        Survivor(boolean goesOn) {
            this.goesOn = goesOn;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            do {
                ChannelFuture written = context.writeAndFlush(Unpooled.wrappedBuffer(new byte[goesOn ? BLOCK : 1]));
                ChannelFuture _ = written.addListener(done -> {
                    if (!done.isSuccess()) {
                        write.completeExceptionally(done.cause());
                    } else if (!goesOn) {
                        started.complete(null);
                    }
                });
            } while (goesOn && context.channel().isWritable());
            if (goesOn) {
                started.complete(null);
            }
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            if (context.channel().isWritable()) {
                channelActive(context);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            caught.complete(cause);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            inactive.complete(null);
        }
    }

    private static EventLoopGroup group(SelectorProvider provider) {
        return new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory(provider));
    }

    private Survivor survivor;
    private EventLoopGroup group;

    @AfterEach
    void endGroup() throws InterruptedException {
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }

    private static ChildProgram silent(Way way, int port) {
        return new ChildProgram(new ChildJvm()
                .options("--enable-native-access=ALL-UNNAMED")
                .command(Silent.class, way.name(), "" + port));
    }

    private static <T> T soon(CompletableFuture<T> event) throws Exception {
        return event.get(MOST.toSeconds(), TimeUnit.SECONDS);
    }

    private void kill(ChildProgram peer) throws Exception {
        soon(survivor.started);
        assertFalse(survivor.write.isDone(), () -> "before the kill: " + survivor.write);
        assertFalse(survivor.inactive.isDone());
        peer.kill();
    }

    /** A write that is under way fails, and the channel is closed. */
    private void assertWriteFails() throws Exception {
        var failure = assertThrows(ExecutionException.class, () -> soon(survivor.write));
        assertInstanceOf(IOException.class, failure.getCause());
        soon(survivor.inactive);
    }

    private void startClient(Way way, ChildProgram server) throws InterruptedException, IOException {
        SelectorProvider provider = way.provider();
        group = group(provider);
        int port = Integer.parseInt(server.await("port ", MOST));
        new Bootstrap()
                .group(group)
                .channelFactory(() -> new NioSocketChannel(provider))
                .handler(survivor)
                .connect(Hosts.far(), port)
                .sync();
        assertEquals(way == Way.TCP, !ConnectionTransport.tcp(port).isEmpty());
    }

    @ParameterizedTest
    @EnumSource
    void shouldTellAClientThatWritesThatItsServerWasKilled(Way way) throws Exception {
        survivor = new Survivor(true);
        try (ChildProgram server = silent(way, 0)) {
            startClient(way, server);
            kill(server);
            assertWriteFails();
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldTellAServerThatWritesThatItsClientWasKilled(Way way) throws Exception {
        survivor = new Survivor(true);
        SelectorProvider provider = way.provider();
        group = group(provider);
        Channel server = new ServerBootstrap()
                .group(group)
                .channelFactory(() -> new NioServerSocketChannel(provider))
                .childHandler(survivor)
                .bind(Hosts.far(), 0)
                .sync()
                .channel();
        try (ChildProgram client = silent(way, ((InetSocketAddress) server.localAddress()).getPort())) {
            kill(client);
            assertWriteFails();
        }
    }

    /** The server has not read what it was sent. */
    @ParameterizedTest
    @EnumSource
    void shouldTellAClientThatWaitsThatItsServerWasKilled(Way way) throws Exception {
        survivor = new Survivor(false);
        try (ChildProgram server = silent(way, 0)) {
            startClient(way, server);
            kill(server);
            Throwable caught = soon(survivor.caught);
            assertInstanceOf(SocketException.class, caught);
            assertTrue(caught.getMessage().startsWith("Connection reset"), caught::toString);
            soon(survivor.inactive);
        }
    }
}
