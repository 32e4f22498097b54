// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.nio.Hosts;
import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a peer says of regions that it has mapped is checked before anything is written there, and what it writes to a
 * region of this side stays within it.
 */
@Tag("device")
@Tag("iwarp")
class HostileIomapTest {

    private static final int MAPS = 2;
    private static final int CREDITS = StreamOptions.DEFAULT.receiveQueue();
    private static final String ENDED = Hosts.isIwarp() ? "" : "request ended with"; // as in HostilePeerTest

    private static Company company;

    @BeforeAll
    static void gather() throws Exception {
        StreamOptions one = StreamOptions.DEFAULT;
        company = new Company(new StreamOptions(
                one.sendBuffer(),
                one.receiveBuffer(),
                one.sendQueue(),
                one.receiveQueue(),
                one.inline(),
                one.polling(),
                MAPS));
    }

    @AfterAll
    static void part() {
        company.close();
    }

    /** Each breaks one rule. */
    @SuppressWarnings("ImmutableEnumChecker") // what it does keeps nothing
    enum Attack {
        INDEX_BEHIND_THE_LAST("as number 2, but may map only 2", peer -> peer.say(Message.IOMAP, MAPS)),
        MOST_INDEX("but may map only 2", peer -> peer.say(Message.IOMAP, Message.MAX_VALUE)),
        NEGATIVE_OFFSET("10 bytes at offset -1,", peer -> peer.map(0, -1, 4096, 1, 10)),
        OFFSET_THAT_OVERFLOWS(
                "10 bytes at offset 9223372036854775800,", peer -> peer.map(1, Long.MAX_VALUE - 7, 4096, 1, 10)),
        ADDRESS_THAT_WRAPS("bytes at address fffffffffffffff6", peer -> peer.map(0, 0, -10, 1, 10)),
        MOST_LENGTH_THAT_WRAPS(
                "4294967295 bytes at address ffffffff00000001", peer -> peer.map(0, 0, -(1L << 32) + 1, 1, -1)),
        MORE_MESSAGES_THAN_CREDITS("more messages than", peer -> {
            for (int i = 0; i < CREDITS + 16; i++) {
                peer.say(Message.IOMAP, 0);
            }
        }),
        AFTER_SHUTDOWN("said that it would not", peer -> {
            peer.say(Message.CONTROL, Message.SHUTDOWN);
            peer.map(0, 0, 4096, 1, 10);
        }),
        AFTER_GOODBYE("said that it would not", peer -> {
            peer.say(Message.CONTROL, Message.DISCONNECT);
            peer.map(0, 0, 4096, 1, 10);
        });

        private final String reason;
        private final Consumer<RawPeer> action;

        Attack(String reason, Consumer<RawPeer> action) {
            this.reason = reason;
            this.action = action;
        }

        /**
         * Waits until everything has arrived that nobody has looked at yet: on iWARP, a completed send does not
         * show that.
         */
        private void await(Stream stream, RawPeer peer) {
            Memory memory = stream.link().memory();
            while (this == MORE_MESSAGES_THAN_CREDITS
                    && peer.isIwarp()
                    && memory.in().segment().get(JAVA_INT, memory.receivedOffset(CREDITS + 15)) == 0) {
                Thread.onSpinWait();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldResetWhoeverBreaksARule(Attack attack) throws Exception {
        try (var peer = RawPeer.connect(company.address(), greeting -> {})) {
            Stream stream = company.accept();
            attack.action.accept(peer);
            attack.await(stream, peer);
            assertReset(stream, attack.reason);
        }
    }

    private static void assertReset(Stream stream, String reason) throws Exception {
        var e = assertThrows(IOException.class, () -> {
            long end = Deadlines.after(TestDeadlines.ofSeconds(30).toMillis());
            while (System.nanoTime() < end) {
                stream.read(ByteBuffer.allocate(100), Deadlines.NEVER);
                stream.write(ByteBuffer.allocate(1), Deadlines.NEVER);
                Thread.onSpinWait();
            }
        });
        assertTrue(e.getMessage().contains(reason), e::toString);
        assertTrue(e.getMessage().startsWith("Connection reset"), e::toString);
        assertThrows(IOException.class, () -> stream.iomaps().write(ByteBuffer.allocate(1), 0, Deadlines.NEVER));
        assertThrows(IOException.class, () -> stream.iomaps().map(0, 1, Deadlines.NEVER));
        end(stream);
    }

    private static void end(Stream stream) throws Exception {
        stream.close(true);
        stream.released().get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
        company.assertWell();
    }

    /** Sends a byte, which arrives after everything that it did before. */
    private static void say(RawPeer peer, Stream stream) throws Exception {
        peer.write(peer.theirs().buffer(), peer.theirs().bufferKey(), 1, Message.of(Message.DATA, 1));
        assertEquals(
                1,
                stream.read(
                        ByteBuffer.allocate(1),
                        Deadlines.after(TestDeadlines.ofSeconds(30).toMillis())));
    }

    private static void assertNothingAt(Stream stream, long offset) {
        assertThrows(
                IndexOutOfBoundsException.class,
                () -> stream.iomaps().write(ByteBuffer.allocate(4), offset, Deadlines.NEVER));
    }

    private static void write(Stream stream, long offset, int... bytes) throws Exception {
        ByteBuffer from = ByteBuffer.allocate(bytes.length);
        for (int one : bytes) {
            from.put((byte) one);
        }
        assertEquals(
                bytes.length,
                stream.iomaps()
                        .write(
                                from.flip(),
                                offset,
                                Deadlines.after(TestDeadlines.ofSeconds(30).toMillis())));
    }

    private static void awaitByte(MemorySegment in, long at, int value) {
        var bytes = JAVA_BYTE.varHandle();
        while ((byte) bytes.getVolatile(in, at) != value) {
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldKnowOfNoRegionBeforeAMessageTellsOfIt() throws Exception {
        try (var peer = RawPeer.connect(company.address(), greeting -> {})) {
            Stream stream = company.accept();
            peer.out()
                    .putLong(0)
                    .putLong(peer.spare().address())
                    .putInt(peer.key())
                    .putInt(100);
            peer.write(peer.theirs().iomap(0), peer.theirs().targetsKey(), ConnectionData.IOMAP_BYTES);
            say(peer, stream);
            assertNothingAt(stream, 0);
            peer.say(Message.IOMAP, 0);
            say(peer, stream);
            write(stream, 0, 1, 2, 3);
            awaitByte(peer.spare(), 2, 3);
            end(stream);
        }
    }

    @Test
    void shouldKeepWhatItWasToldWhenThePeerWritesAnotherEntryWithoutAMessage() throws Exception {
        try (var peer = RawPeer.connect(company.address(), greeting -> {})) {
            Stream stream = company.accept();
            peer.map(0, 50, peer.spare().address() + 10, peer.key(), 100);
            say(peer, stream);
            peer.out().putLong(0).putLong(77).putInt(77).putInt(-1);
            peer.write(peer.theirs().iomap(0), peer.theirs().targetsKey(), ConnectionData.IOMAP_BYTES);
            say(peer, stream);
            assertNothingAt(stream, 0);
            assertNothingAt(stream, 147);
            write(stream, 146, 1, 2, 3, 4);
            awaitByte(peer.spare(), 109, 4);
            assertEquals(0, peer.spare().get(JAVA_BYTE, 110));
            end(stream);
        }
    }

    @Test
    void shouldTakeARegionOfNoBytesForNone() throws Exception {
        try (var peer = RawPeer.connect(company.address(), greeting -> {})) {
            Stream stream = company.accept();
            peer.map(0, 0, peer.spare().address(), peer.key(), 100);
            peer.map(0, 0, peer.spare().address(), peer.key(), 0); // takes it back
            say(peer, stream);
            assertNothingAt(stream, 0);
            end(stream);
        }
    }

    @Test
    void shouldBeResetWhenARegionIsNotThere() throws Exception {
        try (var peer = RawPeer.connect(company.address(), greeting -> {})) {
            Stream stream = company.accept();
            peer.map(0, 0, peer.spare().address(), peer.key() + 1, 100);
            say(peer, stream);
            write(stream, 0, 1);
            assertReset(stream, ENDED);
            assertEquals(0, peer.spare().get(JAVA_BYTE, 0));
        }
    }

    /** What a peer may try with the key that it has got. */
    @SuppressWarnings("ImmutableEnumChecker")
    enum Reach {
        BEFORE((peer, entry) -> peer.write(entry.getLong(8) - 1, entry.getInt(16), 8)),
        BEHIND((peer, entry) -> peer.write(entry.getLong(8) + 93, entry.getInt(16), 8)),
        FAR_BEHIND((peer, entry) -> peer.write(entry.getLong(8) + 4096, entry.getInt(16), 8)),
        ANOTHER_KEY((peer, entry) -> peer.write(entry.getLong(8), entry.getInt(16) + 1, 8)),
        THE_RING((peer, entry) -> peer.write(peer.theirs().buffer(), entry.getInt(16), 8));

        /** What it does with the region that it knows. */
        private interface Action {
            void accept(RawPeer peer, ByteBuffer entry);
        }

        private final Action action;

        Reach(Action action) {
            this.action = action;
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldLetNobodyReachFurtherThanWhatIsMapped(Reach reach) throws Exception {
        try (var peer = RawPeer.connect(company.address(), greeting -> allowEntries(greeting))) {
            Stream stream = company.accept();
            say(peer, stream);
            Iomaps.Mapping mapping = stream.iomaps()
                    .map(5, 100, Deadlines.after(TestDeadlines.ofSeconds(30).toMillis()));
            ByteBuffer entry = awaitEntry(peer);
            assertEquals(5, entry.getLong(0));
            assertEquals(100, entry.getInt(20));
            peer.out().putLong(-1);
            peer.write(entry.getLong(8) + 92, entry.getInt(16), 8);
            awaitByte(mapping.segment(), 99, -1);
            peer.out().putLong(0x0101_0101_0101_0101L);
            reach.action.accept(peer, entry);
            assertReset(stream, "");
        }
    }

    @Test
    void shouldLetNobodyReachWhatIsUnmapped() throws Exception {
        try (var peer = RawPeer.connect(company.address(), greeting -> allowEntries(greeting))) {
            Stream stream = company.accept();
            say(peer, stream);
            Iomaps.Mapping mapping = stream.iomaps()
                    .map(0, 100, Deadlines.after(TestDeadlines.ofSeconds(30).toMillis()));
            ByteBuffer entry = awaitEntry(peer);
            mapping.close();
            peer.write(entry.getLong(8), entry.getInt(16), 8);
            assertReset(stream, "");
        }
    }

    /** Says that it has places for regions of the other side. */
    private static void allowEntries(RawPeer.Greeting greeting) {
        greeting.flags = 2;
        greeting.iomap = 1;
    }

    private static ByteBuffer awaitEntry(RawPeer peer) {
        ByteBuffer entry = peer.entry(0);
        awaitByte(MemorySegment.ofBuffer(entry), 20, 100); // of the length, which is not a byte in another order
        return entry;
    }

    @Test
    void shouldMapNothingForWhoeverDoesNotSayThatItHasPlaces() throws Exception {
        try (var peer = RawPeer.connect(company.address(), greeting -> greeting.iomap = 1)) { // without the flag
            Stream stream = company.accept();
            say(peer, stream);
            assertThrows(IOException.class, () -> stream.iomaps().map(0, 1, Deadlines.NEVER));
            end(stream);
        }
    }

    /** A peer of the other byte order gets entries in its own; its entries are in the order of this side. */
    @Test
    void shouldTellInThePeersByteOrder() throws Exception {
        try (var peer = RawPeer.connect(company.address(), greeting -> {
            allowEntries(greeting);
            greeting.flags = 3;
        })) {
            Stream stream = company.accept();
            say(peer, stream);
            Iomaps.Mapping mapping = stream.iomaps()
                    .map(5, 100, Deadlines.after(TestDeadlines.ofSeconds(30).toMillis()));
            ByteBuffer entry = peer.entry(0);
            awaitByte(MemorySegment.ofBuffer(entry), 23, 100);
            assertEquals(Long.reverseBytes(5), entry.getLong(0));
            assertEquals(Long.reverseBytes(mapping.segment().address()), entry.getLong(8));
            end(stream);
        }
    }
}
