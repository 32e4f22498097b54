// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Peers that break no rule, but do not do their part. There are none of these on iWARP. */
@Tag("device")
class RudePeerTest {

    private static final int HALF = StreamOptions.DEFAULT.receiveBuffer() / 2;

    @Test
    void shouldHoldNobodyUpWhenAPeerTakesNoMessages() throws Exception {
        try (var company = new Company();
                var peer = RawPeer.connect(company.address(), 0, greeting -> {})) {
            Stream stream = company.accept(); // it has granted the other half of its ring
            for (int i = 0; i < 3; i++) { // and grants three halves more: there is room for no further message
                peer.write(peer.theirs().buffer(), peer.theirs().bufferKey(), 1, Message.of(Message.DATA, HALF));
                read(stream, HALF);
            }
            stream.shutdownOutput(Deadlines.NEVER);
            company.assertWell();
            stream.close(true);
            peer.disconnect();
            stream.released().get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
        }
    }

    private static void read(Stream stream, int bytes) throws Exception {
        ByteBuffer into = ByteBuffer.allocate(bytes);
        while (into.hasRemaining()) {
            assertTrue(stream.read(
                            into, Deadlines.after(TestDeadlines.ofSeconds(30).toMillis()))
                    > 0);
        }
    }

    @Test
    void shouldHoldNobodyUpWhenAPeerDoesNotSayThatItIsConnected() throws Exception {
        try (var company = new Company();
                var half = RawPeer.halfMade(company.address())) {
            assertNotNull(half);
            company.assertWell();
            assertNull(company.acceptNow());
            assertEquals(0, company.logged("is reset"));
        }
    }

    @Test
    void shouldEndAtOnceWhenAPeerTakesNothingAndTheCloseIsAbrupt() throws Exception {
        try (var company = new Company();
                var peer = RawPeer.connect(company.address(), 0, greeting -> {})) {
            Stream stream = company.accept();
            assertEquals(1, stream.write(ByteBuffer.allocate(1), Deadlines.NEVER));
            stream.close(false);
            stream.released().get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
            assertTrue(peer.theirs().credits() > 0);
        }
    }

    /**
     * A part is written before the message that grants it arrives, so a reader that takes an earlier message may find
     * it already.
     */
    @Test
    void shouldTakeAMessageWhosePartWasFoundBefore() throws Exception {
        try (var company = new Company();
                var peer = RawPeer.connect(company.address(), 0, greeting -> {})) {
            Stream stream = company.accept();
            assertEquals(1, stream.write(ByteBuffer.allocate(1), Deadlines.NEVER));
            int upTo = RawPeer.CREDITS + 1;
            peer.grant(1, 4096, 77, RawPeer.PART, upTo);
            peer.say(Message.CREDITS, upTo);
            peer.write(peer.theirs().buffer(), peer.theirs().bufferKey(), 1, Message.of(Message.DATA, 1));
            read(stream, 1);
            peer.say(Message.CREDITS, upTo); // which is one too many
            ByteBuffer one = ByteBuffer.allocate(1);
            IOException e = assertThrows(
                    IOException.class,
                    () -> stream.read(
                            one, Deadlines.after(TestDeadlines.ofSeconds(30).toMillis())));
            assertTrue(e.getMessage().contains("granted nothing"), e.getMessage());
            stream.close(false);
        }
    }
}
