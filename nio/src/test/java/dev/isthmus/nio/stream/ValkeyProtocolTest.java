// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.nio.Hosts;
import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Streams that speak Valkey over RDMA, with each other and with a peer that says what it is told. */
@Tag("device")
class ValkeyProtocolTest {

    private static final int SMALL = 4096; // half of it is a buffer
    private static final int BYTES = 300_000;
    private static final StreamOptions OPTIONS =
            StreamOptions.DEFAULT.withReceiveBuffer(SMALL).withProtocol(StreamProtocol.VALKEY);

    private StreamListener listener;

    @BeforeEach
    void listen() throws IOException {
        listener =
                StreamListener.listen(new InetSocketAddress(Hosts.far(), 0), 64, false, () -> OPTIONS, anyone -> true);
    }

    @AfterEach
    void close() {
        listener.close();
    }

    private static long soon() {
        return Deadlines.after(TestDeadlines.ofSeconds(60).toMillis());
    }

    private static Stream connect(InetSocketAddress to) throws Exception {
        return Service.get()
                .connect(null, to, OPTIONS, 0, TestDeadlines.ofSeconds(60))
                .get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
    }

    private static void end(Stream stream) throws Exception {
        stream.close(true);
        stream.released().get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
    }

    private interface Task {
        void run() throws Exception;
    }

    private static CompletableFuture<Void> async(Task task) {
        var done = new CompletableFuture<Void>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                task.run();
                done.complete(null);
            } catch (Throwable t) {
                done.completeExceptionally(t);
            }
        });
        return done;
    }

    /** Writes bytes of a seed in pieces of any length. */
    private static void write(Stream to, long seed) throws Exception {
        byte[] bytes = bytes(seed);
        var random = new Random(seed);
        for (int at = 0; at < BYTES; ) {
            int length = Math.min(1 + random.nextInt(2 * SMALL), BYTES - at);
            assertEquals(length, to.write(ByteBuffer.wrap(bytes, at, length), soon()));
            at += length;
        }
    }

    private static byte[] bytes(long seed) {
        byte[] bytes = new byte[BYTES];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static void assertReads(Stream from, long seed) throws Exception {
        ByteBuffer into = ByteBuffer.allocate(BYTES);
        while (into.hasRemaining()) {
            assertTrue(from.read(into, soon()) > 0);
        }
        assertEquals(-1, into.flip().mismatch(ByteBuffer.wrap(bytes(seed))));
    }

    @Test
    void shouldExchangeBothWaysThroughBuffersThatFillUpInTheMiddleOfAWrite() throws Exception {
        Stream near = connect(listener.localAddress());
        Stream far = listener.accept(soon());
        CompletableFuture<Void> there = async(() -> write(near, 1));
        CompletableFuture<Void> back = async(() -> write(far, 2));
        CompletableFuture<Void> read = async(() -> assertReads(near, 2));
        assertReads(far, 1);
        CompletableFuture.allOf(there, back, read).get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
        end(near);
        end(far);
    }

    @Test
    void shouldDeliverWhatWasWrittenBeforeTheClose() throws Exception {
        Stream near = connect(listener.localAddress());
        Stream far = listener.accept(soon());
        near.write(ByteBuffer.wrap(new byte[1000]), soon());
        end(near);
        ByteBuffer into = ByteBuffer.allocate(2000);
        while (into.position() < 1000) {
            assertTrue(far.read(into, soon()) > 0);
        }
        assertEquals(-1, far.read(into, soon()));
        var why = assertThrows(IOException.class, () -> far.write(ByteBuffer.wrap(new byte[1]), soon()));
        assertTrue(why.getMessage().contains("closed"), why::toString);
        end(far);
    }

    @Test
    void shouldRefuseAHalfClose() throws Exception {
        Stream near = connect(listener.localAddress());
        Stream far = listener.accept(soon());
        var why = assertThrows(IOException.class, () -> near.shutdownOutput(soon()));
        assertTrue(why.getMessage().contains("no half close"), why::toString);
        near.write(ByteBuffer.wrap(new byte[10]), soon());
        assertEquals(10, far.read(ByteBuffer.allocate(20), soon()));
        end(near);
        end(far);
    }

    private Stream accepted() throws Exception {
        Stream one = listener.accept(soon());
        assertTrue(one != null);
        return one;
    }

    /** Writes to the peer's buffer, whose announcement this is. */
    private static void write(RawPeer peer, ByteBuffer announcement, int offset, int length, int message) {
        long at = announcement.getLong(ValkeyProtocol.ADDRESS) + offset;
        int key = announcement.getInt(ValkeyProtocol.KEY);
        if (message < 0) {
            peer.write(at, key, length);
        } else {
            peer.write(at, key, length, message);
        }
    }

    @Test
    void shouldTakeAChainOfWritesWithOneLength() throws Exception {
        try (RawPeer peer = RawPeer.connectToValkey(listener.localAddress())) {
            Stream stream = accepted();
            ByteBuffer announcement = peer.awaitCommand(ValkeyProtocol.REGISTER_MEMORY);
            assertEquals(SMALL / 2, announcement.getInt(ValkeyProtocol.LENGTH));
            for (int i = 0; i < 350; i++) {
                peer.out().put(i, (byte) 7);
            }
            write(peer, announcement, 0, 100, -1);
            write(peer, announcement, 100, 200, -1);
            write(peer, announcement, 300, 50, 350);
            ByteBuffer into = ByteBuffer.allocate(400);
            assertEquals(350, stream.read(into, soon()));
            assertEquals(7, into.get(349));
            end(stream);
        }
    }

    /** The next buffer comes when the first is full, before the program has read that, and is another one. */
    @Test
    void shouldAnnounceAnotherBufferOnceOneIsFull() throws Exception {
        try (RawPeer peer = RawPeer.connectToValkey(listener.localAddress())) {
            Stream stream = accepted();
            ByteBuffer first = peer.awaitCommand(ValkeyProtocol.REGISTER_MEMORY);
            write(peer, first, 0, SMALL / 2 - 1, SMALL / 2 - 1);
            write(peer, first, SMALL / 2 - 1, 1, 1);
            CompletableFuture<Void> polling = async(() -> {
                while (stream.available() < SMALL / 2) {
                    Thread.onSpinWait();
                }
            });
            ByteBuffer second = peer.awaitCommand(ValkeyProtocol.REGISTER_MEMORY);
            polling.get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
            assertEquals(first.getLong(ValkeyProtocol.ADDRESS) + SMALL / 2, second.getLong(ValkeyProtocol.ADDRESS));
            end(stream);
        }
    }

    @Test
    void shouldOfferNoFeaturesToAClientThatAsks() throws Exception {
        try (RawPeer peer = RawPeer.connectToValkey(listener.localAddress())) {
            Stream stream = accepted();
            peer.command(
                    ValkeyProtocol.GET_SERVER_FEATURE, command -> command.putShort(ValkeyProtocol.SELECT, (short) 7));
            peer.command(ValkeyProtocol.SET_CLIENT_FEATURE, command -> {});
            peer.command(ValkeyProtocol.KEEPALIVE, command -> {});
            stream.read(ByteBuffer.allocate(1), Deadlines.after(1)); // handles what has arrived
            ByteBuffer answer = peer.awaitCommand(ValkeyProtocol.GET_SERVER_FEATURE);
            assertEquals(7, answer.getShort(ValkeyProtocol.SELECT));
            assertEquals(0, answer.getLong(ValkeyProtocol.FEATURES));
            end(stream);
        }
    }

    @Test
    void shouldChooseNoneOfTheFeaturesThatAServerOffers() throws Exception {
        try (var server = new RawPeer.Listener(new InetSocketAddress(Hosts.far(), 0))) {
            CompletableFuture<Stream> connecting =
                    Service.get().connect(null, server.address(), OPTIONS, 0, TestDeadlines.ofSeconds(60));
            try (RawPeer peer = server.acceptValkey()) {
                Stream stream = connecting.get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
                peer.command(ValkeyProtocol.GET_SERVER_FEATURE, command -> command.putLong(ValkeyProtocol.FEATURES, 5));
                stream.read(ByteBuffer.allocate(1), Deadlines.after(1));
                ByteBuffer choice = peer.awaitCommand(ValkeyProtocol.SET_CLIENT_FEATURE);
                assertEquals(0, choice.getLong(ValkeyProtocol.FEATURES));
                end(stream);
            }
        }
    }

    /** In each of the first phases: before a word, after it has announced a buffer, and after data. */
    @Test
    void shouldSeeTheEndOfAPeerThatDisconnects() throws Exception {
        for (int phase = 0; phase < 3; phase++) {
            try (RawPeer peer = RawPeer.connectToValkey(listener.localAddress())) {
                Stream stream = accepted();
                if (phase > 0) {
                    peer.announce(4096, 7, 100);
                }
                if (phase > 1) {
                    write(peer, peer.awaitCommand(ValkeyProtocol.REGISTER_MEMORY), 0, 5, 5);
                    assertEquals(5, stream.read(ByteBuffer.allocate(9), soon()));
                }
                peer.disconnect();
                assertEquals(-1, stream.read(ByteBuffer.allocate(1), soon()));
                end(stream);
            }
        }
    }
}
