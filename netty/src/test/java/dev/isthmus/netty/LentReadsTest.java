// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.netty;

import static dev.isthmus.netty.Pairs.random;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.KernelObjects;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Reads that lend what has arrived: to whom, how much, and until when. */
@Tag("device")
class LentReadsTest {

    private static final RdmaCounters COUNTERS = RdmaCounters.total();
    private static final int MANY = 1_000_000; // a program that keeps as many gets copies

    private final Pairs pairs = new Pairs(1);
    private final Keeper atServer = new Keeper();
    private final long lent = COUNTERS.lentBytes();
    private final long copied = COUNTERS.copiedReceivedBytes();

    @AfterEach
    void close() {
        pairs.close();
    }

    private static void send(Channel from, byte[] bytes) throws InterruptedException {
        from.writeAndFlush(from.alloc().directBuffer(bytes.length).writeBytes(bytes))
                .sync();
    }

    private static void release(List<ByteBuf> buffers) {
        buffers.forEach(each -> assertTrue(each.release()));
    }

    @Test
    void shouldCarryMessagesBothWaysWithoutACopy() throws Exception {
        Channel server = pairs.listen(EchoHandler::new);
        var recorder = new Recorder();
        Channel client = pairs.connect(server, recorder);
        long copiedSent = COUNTERS.copiedSentBytes();
        byte[] all = random(MANY, 1);
        for (int at = 0, size = 1; at < all.length; at += size, size = Math.min(2 * size, 16_384)) {
            size = Math.min(size, all.length - at);
            send(client, Arrays.copyOfRange(all, at, at + size));
            byte[] back = recorder.await(at + size).get(Pairs.DEADLINE_SECONDS, TimeUnit.SECONDS);
            assertEquals(at + size, back.length);
        }
        assertArrayEquals(all, recorder.await(all.length).get(Pairs.DEADLINE_SECONDS, TimeUnit.SECONDS));
        assertEquals(2L * all.length, COUNTERS.lentBytes() - lent);
        assertEquals(0, COUNTERS.copiedReceivedBytes() - copied);
        assertEquals(0, COUNTERS.copiedSentBytes() - copiedSent);
    }

    @Test
    void shouldGoOnWhileTheProgramKeepsWhatItHasGot() throws Exception {
        Channel server = pairs.listen(() -> atServer);
        Channel client = pairs.connect(server, new Recorder());
        byte[] all = random(MANY, 2);
        send(client, all);
        atServer.await(MANY);
        List<ByteBuf> kept = atServer.take();
        assertArrayEquals(all, Keeper.bytes(kept));
        long lentNow = COUNTERS.lentBytes() - lent;
        int bound = client.config().getOption(RdmaChannelOption.MAX_KEPT);
        assertTrue(lentNow >= bound && lentNow < 2L * bound, lentNow + " bytes are lent");
        assertEquals(MANY, lentNow + COUNTERS.copiedReceivedBytes() - copied);
        Collections.shuffle(kept, new Random(3)); // the peer gets its room back in whatever order
        release(kept);
        send(client, all);
        atServer.await(2 * MANY);
        kept = atServer.take();
        assertArrayEquals(all, Keeper.bytes(kept));
        assertTrue(COUNTERS.lentBytes() - lent > lentNow + bound / 2, "it lends again");
        release(kept);
    }

    @Test
    @Tag("extended")
    void shouldTakeBackWhatOtherThreadsRelease() throws Exception {
        Channel server = pairs.listen(() -> atServer);
        Channel client = pairs.connect(server, new Recorder());
        byte[] part = random(10_007, 4);
        var releaser = new Thread[3];
        for (int round = 1; round <= 60; round++) {
            ChannelFuture _ = client.writeAndFlush(
                    client.alloc().directBuffer(part.length).writeBytes(part));
            if (round % 10 == 0) { // more than fits into the memory that the program may keep, in all
                atServer.await((long) round * part.length);
                List<ByteBuf> kept = atServer.take();
                byte[] got = Keeper.bytes(kept);
                for (int at = 0; at < got.length; at += part.length) {
                    assertArrayEquals(part, Arrays.copyOfRange(got, at, at + part.length));
                }
                for (int i = 0; i < releaser.length; i++) {
                    int first = i;
                    releaser[i] = Thread.ofPlatform().start(() -> {
                        for (int at = first; at < kept.size(); at += releaser.length) {
                            kept.get(at).release();
                        }
                    });
                }
                for (Thread each : releaser) {
                    each.join();
                }
            }
        }
        assertEquals(60L * part.length, COUNTERS.lentBytes() - lent);
    }

    @Test
    @Tag("extended")
    void shouldCopyIfTheProgramWantsItSo() throws Exception {
        Channel server = pairs.server(() -> atServer)
                .childOption(RdmaChannelOption.MAX_KEPT, 0)
                .bind(Pairs.far(0))
                .sync()
                .channel();
        Channel client = pairs.connect(server, new Recorder());
        send(client, random(5000, 5));
        atServer.await(5000);
        List<ByteBuf> kept = atServer.take();
        assertArrayEquals(random(5000, 5), Keeper.bytes(kept));
        release(kept);
        assertEquals(0, COUNTERS.lentBytes() - lent);
        assertEquals(5000, COUNTERS.copiedReceivedBytes() - copied);
    }

    /** Buffers outlive the channel, its event loop and their keys; the kernel has everything back once they are released. */
    @Test
    void shouldKeepTheMemoryOfWhatTheProgramHasYetToRelease() throws Exception {
        KernelObjects before = KernelObjects.now();
        List<ByteBuf> kept;
        try (var others = new Pairs(1)) {
            Channel server = others.listen(() -> atServer);
            Channel client = others.connect(server, new Recorder());
            send(client, random(300_000, 6));
            atServer.await(300_000);
            kept = atServer.take();
            client.config().setOption(ChannelOption.SO_LINGER, 0);
            client.close().sync();
            others.accepted().closeFuture().sync();
            assertArrayEquals(random(300_000, 6), Keeper.bytes(kept));
        }
        assertArrayEquals(random(300_000, 6), Keeper.bytes(kept));
        kept.forEach(each -> each.setZero(0, each.capacity()));
        release(kept);
        before.assertNoMore();
    }

    /** What a closed channel has received can still be sent by another one. */
    @Test
    @Tag("extended")
    void shouldSendWhatAClosedChannelHasLent() throws Exception {
        Channel server = pairs.listen(() -> atServer);
        Channel client = pairs.connect(server, new Recorder());
        send(client, random(50_000, 7));
        atServer.await(50_000);
        client.close().sync();
        pairs.accepted().closeFuture().sync();
        var elsewhere = new Recorder();
        Channel second = pairs.connect(pairs.listen(() -> elsewhere), new Recorder());
        long copiedSent = COUNTERS.copiedSentBytes();
        for (ByteBuf each : atServer.take()) {
            second.writeAndFlush(each).sync();
        }
        assertArrayEquals(random(50_000, 7), elsewhere.await(50_000).get(Pairs.DEADLINE_SECONDS, TimeUnit.SECONDS));
        assertEquals(0, COUNTERS.copiedSentBytes() - copiedSent);
    }
}
