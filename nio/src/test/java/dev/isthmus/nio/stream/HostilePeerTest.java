// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.nio.Hosts;
import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
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
 * A message against the protocol resets the peer's connection, with a reason for the program and the log, and releases
 * everything that it had. Other connections go on.
 */
@Tag("device")
@Tag("iwarp")
class HostilePeerTest {

    private static final int CREDITS = StreamOptions.DEFAULT.receiveQueue();
    private static final int RING = StreamOptions.DEFAULT.receiveBuffer();

    /** On iWARP the peer's device ends the connection, and this side sees no more than that. */
    private static final String ENDED = Hosts.isIwarp() ? "" : "request ended with"; // SoftiWARP reports it in two ways

    private static Company company;

    @BeforeAll
    static void gather() throws Exception {
        company = new Company();
    }

    @AfterAll
    static void part() {
        company.close();
    }

    /** Each breaks one rule. */
    @SuppressWarnings("ImmutableEnumChecker") // what it does keeps nothing
    enum Attack {
        DATA_OF_NO_BYTES("wrote 0 bytes", peer -> peer.say(Message.DATA, 0)),
        MORE_THAN_THE_RING("had room for", peer -> peer.say(Message.DATA, RING + 1)),
        MOST_DATA("had room for", peer -> peer.say(Message.DATA, Message.MAX_VALUE)),
        MORE_MESSAGES_THAN_CREDITS("more messages than", Attack::flood),
        OPERATION_1("an unknown operation, 1", peer -> peer.say(1, 1)),
        OPERATION_2("an unknown operation, 2", peer -> peer.say(2, 1)),
        OPERATION_3("an unknown operation, 3", peer -> peer.say(3, 1)),
        OPERATION_5("an unknown operation, 5", peer -> peer.say(5, 1)),
        REGION_THAT_NOBODY_ASKED_FOR("as number 0, but may map only 0", peer -> peer.say(Message.IOMAP, 0)),
        CONTROL_1("an unknown control message, 1", peer -> peer.say(Message.CONTROL, 1)),
        MOST_CONTROL("an unknown control message", peer -> peer.say(Message.CONTROL, Message.MAX_VALUE)),
        CREDITS_TAKEN_BACK("and now accepts them up to", peer -> peer.say(Message.CREDITS, RawPeer.CREDITS - 1)),
        CREDITS_BEYOND("and now accepts them up to", peer -> peer.say(Message.CREDITS, RawPeer.CREDITS + 1)),
        CREDITS_FOR_NOTHING("granted nothing", peer -> peer.say(Message.CREDITS, RawPeer.CREDITS)),
        SHUTDOWN_TWICE("shut its output down twice", peer -> {
            peer.say(Message.CONTROL, Message.SHUTDOWN);
            peer.say(Message.CONTROL, Message.SHUTDOWN);
        }),
        DATA_AFTER_SHUTDOWN("said that it would not", peer -> {
            peer.say(Message.CONTROL, Message.SHUTDOWN);
            peer.say(Message.DATA, 1);
        }),
        DATA_AFTER_GOODBYE("said that it would not", peer -> {
            peer.say(Message.CONTROL, Message.DISCONNECT);
            peer.say(Message.DATA, 1);
        }),
        GOODBYE_TWICE("said that it would not", peer -> {
            peer.say(Message.CONTROL, Message.DISCONNECT);
            peer.say(Message.CONTROL, Message.DISCONNECT);
        }),
        PART_THAT_IS_TOO_LONG(
                "granted a part of 536870912 bytes", peer -> peer.grant(1, 0, 0, 1 << 29, RawPeer.CREDITS)),
        PART_OF_NEGATIVE_LENGTH("granted a part of 4294967295 bytes", peer -> peer.grant(1, 0, 0, -1, RawPeer.CREDITS)),
        PART_OF_OTHERS(ENDED, peer -> peer.grant(1, 4096, 77, 4096, RawPeer.CREDITS)),
        NO_MESSAGE("bytes that are not a message", peer -> peer.send(peer.isIwarp() ? 3 : 0)),
        TOO_LONG_A_MESSAGE("", peer -> peer.send(64)),
        WRITE_BEHIND_THE_RING(
                "",
                peer -> peer.write(
                        peer.theirs().targets() + (1 << 20), peer.theirs().bufferKey(), 8)),
        WRITE_BEFORE_THE_RING(
                "", peer -> peer.write(peer.theirs().buffer() - 8, peer.theirs().bufferKey(), 8)),
        WRITE_BY_ANOTHER_KEY(
                "", peer -> peer.write(peer.theirs().buffer(), peer.theirs().bufferKey() + 1, 8)),
        DISCONNECT("without a disconnect message", RawPeer::disconnect);

        private final String reason;
        private final Consumer<RawPeer> action;

        Attack(String reason, Consumer<RawPeer> action) {
            this.reason = reason;
            this.action = action;
        }

        private static void flood(RawPeer peer) {
            for (int i = 0; i < CREDITS + 16; i++) {
                peer.say(Message.DATA, 1);
            }
        }

        /**
         * Waits until everything has arrived that nobody has looked at yet: on iWARP, a completed send does not
         * show that.
         */
        private void await(Stream stream, RawPeer peer) {
            int messages = switch (this) {
                case MORE_MESSAGES_THAN_CREDITS -> CREDITS + 16;
                case SHUTDOWN_TWICE, DATA_AFTER_SHUTDOWN, DATA_AFTER_GOODBYE, GOODBYE_TWICE -> 2;
                default -> 0;
            };
            while (messages > 0 && peer.isIwarp() && !hasCome(stream, messages - 1)) {
                Thread.onSpinWait();
            }
        }

        private static boolean hasCome(Stream stream, int message) {
            Memory memory = stream.link().memory();
            return memory.in().segment().get(ValueLayout.JAVA_INT, memory.receivedOffset(message)) != 0;
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

    /**
     * On iWARP the accepting side sends nothing before the peer has; returns whether the peer has sent a byte for that.
     */
    private static boolean begin(RawPeer peer) {
        if (peer.isIwarp()) {
            peer.say(Message.DATA, 1);
        }
        return peer.isIwarp();
    }

    private static void assertReset(Stream stream, String reason) throws Exception {
        var e = assertThrows(IOException.class, () -> readAndWrite(stream));
        assertTrue(e.getMessage().contains(reason), e::toString);
        assertTrue(e.getMessage().startsWith("Connection reset"), e::toString);
        assertEquals(1, company.resets(stream), "how often it was logged");
        assertThrows(IOException.class, () -> stream.write(ByteBuffer.allocate(1), Deadlines.NEVER));
        stream.close(true);
        stream.released().get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
        company.forgetResets(stream);
        company.assertWell();
    }

    /** Reads to the end, and then writes until that fails. */
    private static void readAndWrite(Stream stream) throws Exception {
        ByteBuffer into = ByteBuffer.allocate(RING);
        long end = Deadlines.after(TestDeadlines.ofSeconds(30).toMillis());
        while (System.nanoTime() < end) {
            stream.read(into.clear(), Deadlines.NEVER);
            stream.write(ByteBuffer.allocate(128), Deadlines.NEVER);
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldResetWhoeverCannotBeToldOfRoom() throws Exception {
        try (var peer = RawPeer.connect(company.address(), greeting -> greeting.targetsKey++)) {
            assertNotEquals(0, peer.theirs().credits());
            begin(peer);
            assertReset(company.accept(), ENDED);
        }
    }

    @Test
    void shouldResetWhoeverCannotBeWrittenTo() throws Exception {
        try (var peer = RawPeer.connect(company.address(), greeting -> greeting.bufferKey++)) {
            assertNotEquals(0, peer.theirs().credits());
            begin(peer);
            assertReset(company.accept(), ENDED);
        }
    }

    @Test
    void shouldTakeNoNoticeOfWhatIsWrittenWithoutAMessage() throws Exception {
        try (var peer = RawPeer.connect(company.address(), greeting -> {})) {
            Stream stream = company.accept();
            if (begin(peer)) {
                assertEquals(
                        1,
                        stream.read(
                                ByteBuffer.allocate(10),
                                Deadlines.after(TestDeadlines.ofSeconds(10).toMillis())));
            }
            for (int i = 0; i < RING; i++) {
                peer.out().put(i, (byte) -1);
            }
            peer.write(peer.theirs().buffer(), peer.theirs().bufferKey(), RING);
            peer.write(peer.theirs().targets(), peer.theirs().targetsKey(), 2 * ConnectionData.TARGET_BYTES);
            ByteBuffer part = ByteBuffer.allocate(RawPeer.PART);
            assertEquals(
                    RawPeer.PART,
                    stream.write(
                            part, Deadlines.after(TestDeadlines.ofSeconds(10).toMillis())));
            assertEquals(0, stream.write(part.clear(), Deadlines.NEVER), "no room was granted");
            peer.say(Message.DATA, 5);
            assertEquals(
                    5,
                    stream.read(
                            ByteBuffer.allocate(10),
                            Deadlines.after(TestDeadlines.ofSeconds(10).toMillis())));
            stream.close(true);
            company.assertWell();
        }
    }

    @Test
    void shouldLetAPeerGrantRoomAfterItsDisconnectMessage() throws Exception {
        try (var peer = RawPeer.connect(company.address(), greeting -> {})) {
            Stream stream = company.accept();
            peer.say(Message.CONTROL, Message.DISCONNECT);
            peer.say(Message.CREDITS, RawPeer.CREDITS + 1);
            ByteBuffer into = ByteBuffer.allocate(10);
            assertEquals(
                    -1,
                    stream.read(
                            into, Deadlines.after(TestDeadlines.ofSeconds(10).toMillis())));
            peer.disconnect();
            stream.close(true);
            stream.released().get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
            assertEquals(0, company.resets(stream));
        }
    }
}
