// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.netty;

import static dev.isthmus.netty.Pairs.random;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import java.io.IOException;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("device")
class RdmaTransportTest {

    private static final int MANY = 40;

    private final Pairs pairs = new Pairs(1);

    @AfterEach
    void close() {
        pairs.close();
    }

    private static <T> T get(CompletableFuture<T> future)
            throws InterruptedException, ExecutionException, TimeoutException {
        return future.get(Pairs.DEADLINE_SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void shouldEchoMessagesOfAllSizes() throws Exception {
        Channel server = pairs.listen(EchoHandler::new);
        var recorder = new Recorder();
        Channel client = pairs.connect(server, recorder);
        byte[] sent = random(400_000, 1);
        CompletableFuture<byte[]> received = recorder.await(sent.length);
        int at = 0;
        List<ChannelFuture> writes = new ArrayList<>();
        for (int size : new int[] {0, 1, 63, 64, 65, 4095, 4096, 65_535, 65_536, 65_537, 131_072}) {
            ByteBuf buffer = size % 2 == 0
                    ? client.alloc().directBuffer(Math.max(1, size)).writeBytes(sent, at, size)
                    : Unpooled.wrappedBuffer(sent, at, size);
            writes.add(client.writeAndFlush(buffer));
            at += size;
        }
        writes.add(client.writeAndFlush(Unpooled.wrappedBuffer(sent, at, sent.length - at)));
        assertArrayEquals(sent, get(received));
        for (ChannelFuture each : writes) {
            assertTrue(each.sync().isSuccess());
        }
        assertEquals(client.localAddress(), pairs.accepted().remoteAddress());
    }

    @Test
    void shouldSpeakValkeysProtocol() throws Exception {
        Channel server = pairs.server(EchoHandler::new)
                .option(RdmaChannelOption.VALKEY, true)
                .bind(Pairs.far(0))
                .sync()
                .channel();
        var recorder = new Recorder();
        var client = (RdmaSocketChannel) pairs.client(recorder)
                .option(RdmaChannelOption.VALKEY, true)
                .connect(server.localAddress())
                .sync()
                .channel();
        byte[] sent = random(500_000, 6); // more than its buffers have
        CompletableFuture<byte[]> received = recorder.await(sent.length);
        ChannelFuture _ =
                client.writeAndFlush(client.alloc().directBuffer(100_000).writeBytes(sent, 0, 100_000));
        ChannelFuture _ = client.writeAndFlush(Unpooled.wrappedBuffer(sent, 100_000, sent.length - 100_000));
        assertArrayEquals(sent, get(received));
        assertThrows(IOException.class, () -> client.shutdownOutput().sync()); // which the protocol has not
        pairs.accepted().close().sync();
        get(recorder.inactive);
    }

    @Test
    void shouldTellThatThePeerSpeaksAnotherProtocol() throws Exception {
        Channel server = pairs.listen(EchoHandler::new);
        assertThrows(
                IOException.class,
                () -> pairs.client(new Recorder())
                        .option(RdmaChannelOption.VALKEY, true)
                        .connect(server.localAddress())
                        .sync());
    }

    @Test
    @Tag("extended")
    void shouldServeManyConnectionsOnOneThread() throws Exception {
        Channel server = pairs.listen(EchoHandler::new);
        List<Recorder> recorders = new ArrayList<>();
        List<Channel> clients = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            var recorder = new Recorder();
            recorders.add(recorder);
            clients.add(pairs.connect(server, recorder));
        }
        for (int round = 1; round <= 3; round++) {
            List<CompletableFuture<byte[]>> received = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                received.add(recorders.get(i).await(round * 5000));
                clients.get(i)
                        .writeAndFlush(Unpooled.wrappedBuffer(random(5000, i)))
                        .sync();
            }
            for (int i = 0; i < MANY; i++) {
                byte[] all = get(received.get(i));
                assertEquals(round * 5000, all.length);
                assertArrayEquals(random(5000, i), java.util.Arrays.copyOfRange(all, all.length - 5000, all.length));
            }
        }
    }

    @Test
    void shouldCloseHalves() throws Exception {
        var atServer = new Recorder();
        Channel server = pairs.server(() -> atServer)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .bind(Pairs.far(0))
                .sync()
                .channel();
        var atClient = new Recorder();
        var client = (RdmaSocketChannel) pairs.connect(server, atClient);
        client.writeAndFlush(Unpooled.wrappedBuffer(random(100_000, 2))).sync();
        client.shutdownOutput().sync();
        Channel accepted = pairs.accepted();
        atServer.awaitEvent(ChannelInputShutdownEvent.INSTANCE);
        atServer.awaitEvent(ChannelInputShutdownReadComplete.INSTANCE);
        assertArrayEquals(random(100_000, 2), get(atServer.await(100_000)));
        assertThrows(
                Exception.class,
                () -> client.writeAndFlush(Unpooled.wrappedBuffer(new byte[1])).sync());
        accepted.writeAndFlush(Unpooled.wrappedBuffer(random(70_000, 3))).sync();
        accepted.close().sync();
        assertArrayEquals(random(70_000, 3), get(atClient.await(70_000)));
        get(atClient.inactive);
    }

    /** What an accepted channel does when it becomes active counts: it is connected then. */
    @Test
    void shouldSendFromTheBeginning() throws Exception {
        Channel server = pairs.listen(() -> new ChannelInboundHandlerAdapter() {
            @Override
            public void channelActive(ChannelHandlerContext context) {
                ChannelFuture _ = context.writeAndFlush(Unpooled.wrappedBuffer(random(1000, 8)));
                ChannelFuture _ = ((RdmaSocketChannel) context.channel()).shutdownOutput();
            }
        });
        var recorder = new Recorder();
        pairs.connect(server, recorder);
        assertArrayEquals(random(1000, 8), get(recorder.await(1000)));
        get(recorder.inactive);
    }

    @Test
    @Tag("extended")
    void shouldDeliverWhatWasWrittenBeforeAClose() throws Exception {
        var atServer = new Recorder();
        Channel server = pairs.listen(() -> atServer);
        Channel client = pairs.connect(server, new Recorder());
        client.writeAndFlush(Unpooled.wrappedBuffer(random(90_000, 4))).sync();
        client.close().sync();
        assertArrayEquals(random(90_000, 4), get(atServer.await(90_000)));
        get(atServer.inactive);
    }

    @Test
    void shouldReportAResetOfAPeerThatLingersNot() throws Exception {
        var atServer = new Recorder();
        Channel server = pairs.listen(() -> atServer);
        Channel client = pairs.connect(server, new Recorder());
        client.config().setOption(ChannelOption.SO_LINGER, 0);
        pairs.accepted();
        client.close().sync();
        assertInstanceOf(java.io.IOException.class, get(atServer.caught));
        get(atServer.inactive);
    }

    @Test
    void shouldBecomeUnwritableWhileThePeerDoesNotRead() throws Exception {
        var atServer = new Recorder();
        Channel server = pairs.server(() -> atServer)
                .childOption(ChannelOption.AUTO_READ, false)
                .bind(Pairs.far(0))
                .sync()
                .channel();
        Channel client = pairs.connect(server, new Recorder());
        int sent = 0;
        List<ChannelFuture> writes = new ArrayList<>();
        while (client.isWritable() || sent < 400_000) {
            writes.add(client.writeAndFlush(Unpooled.wrappedBuffer(random(20_000, sent))));
            sent += 20_000;
            client.eventLoop().submit(() -> {}).sync();
        }
        assertTrue(!writes.getLast().isDone(), "the peer has no room for all of it");
        pairs.accepted().config().setAutoRead(true);
        byte[] all = get(atServer.await(sent));
        assertEquals(sent, all.length);
        writes.getLast().sync();
        assertTrue(client.isWritable());
    }

    @Test
    @Tag("extended")
    void shouldRefuseAConnectToNobody() throws Exception {
        Channel server = pairs.listen(EchoHandler::new);
        var nobody = server.localAddress();
        server.close().sync();
        ChannelFuture connect = pairs.client(new Recorder()).connect(nobody);
        assertTrue(connect.await(Pairs.DEADLINE_SECONDS, TimeUnit.SECONDS));
        assertInstanceOf(ConnectException.class, connect.cause());
        assertTrue(connect.channel().closeFuture().await(Pairs.DEADLINE_SECONDS, TimeUnit.SECONDS));
    }

    @Test
    @Tag("extended")
    void shouldStayWithItsEventLoop() throws Exception {
        Channel server = pairs.listen(EchoHandler::new);
        var recorder = new Recorder();
        Channel client = pairs.connect(server, recorder);
        client.deregister().sync();
        pairs.group.register(client).sync();
        client.writeAndFlush(Unpooled.wrappedBuffer(random(10, 5))).sync();
        assertArrayEquals(random(10, 5), get(recorder.await(10)));
        client.deregister().sync();
        try (var others = new Pairs(1)) {
            assertInstanceOf(
                    IllegalStateException.class,
                    others.group.register(client).await().cause());
            assertSame(false, client.isRegistered());
        }
    }

    @Test
    @Tag("extended")
    void shouldSleepWhileNothingComes() throws Exception {
        Channel server = pairs.listen(EchoHandler::new);
        var recorder = new Recorder();
        Channel client = pairs.connect(server, recorder);
        client.writeAndFlush(Unpooled.wrappedBuffer(random(1000, 6))).sync();
        get(recorder.await(1000));
        long[] thread = new long[1];
        client.eventLoop()
                .submit(() -> thread[0] = Thread.currentThread().threadId())
                .sync();
        var threads = (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
        long before = threads.getThreadCpuTime(thread[0]);
        long begin = System.nanoTime();
        Thread.sleep(1000); // the time that the test is about
        long used = threads.getThreadCpuTime(thread[0]) - before;
        long passed = System.nanoTime() - begin;
        assertTrue(used < passed / 10, used + " ns of processor time in " + passed + " ns");
        client.writeAndFlush(Unpooled.wrappedBuffer(random(1000, 7))).sync();
        assertEquals(2000, get(recorder.await(2000)).length);
    }
}
