// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.isthmus.verbs.RemoteMemory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class VerbsMessageTest {

    private static final BlockKey BLOCK = new BlockKey(1, 1L << 40, 3, 5);

    private static final List<VerbsMessage> ALL = List.of(
            new VerbsMessage.Locate(7, 1 << 20, List.of(BLOCK, new BlockKey(0, 0, 0, 1))),
            new VerbsMessage.Locate(8, 0, Collections.nCopies(VerbsMessage.MAX_BLOCKS, BLOCK)),
            new VerbsMessage.Located(
                    7,
                    List.of(
                            new VerbsMessage.Place(new RemoteMemory(-4096, -1, 4096), ""),
                            VerbsMessage.Place.refused("in no file"),
                            new VerbsMessage.Place(new RemoteMemory(0, 0, 0), ""))),
            new VerbsMessage.Located(
                    9, Collections.nCopies(VerbsMessage.MAX_BLOCKS, VerbsMessage.Place.refused("\u20ac".repeat(100)))),
            new VerbsMessage.Release(-1),
            new VerbsMessage.Challenge(Long.MIN_VALUE, -1));

    private static ByteBuffer write(VerbsMessage message) {
        return VerbsMessage.write(message, ByteBuffer.allocate(VerbsMessage.MAX_BYTES));
    }

    @Test
    void shouldReadWhatWasWritten() {
        for (VerbsMessage message : ALL) {
            assertEquals(message.call(), VerbsMessage.read(write(message)).call());
            assertEquals(write(message), write(VerbsMessage.read(write(message))));
        }
    }

    @Test
    void shouldRefuseWhatIsTooShortOrTooLong() {
        for (VerbsMessage message : ALL) {
            ByteBuffer whole = write(message);
            for (int length = 0; length < whole.limit(); length++) {
                ByteBuffer part = whole.slice(0, length);
                assertThrows(BadMessageException.class, () -> VerbsMessage.read(part));
            }
            ByteBuffer longer = ByteBuffer.allocate(whole.limit() + 1)
                    .put(whole.duplicate())
                    .rewind();
            assertThrows(BadMessageException.class, () -> VerbsMessage.read(longer));
        }
    }

    /** Any bytes are a message, or a BadMessageException. */
    @Test
    void shouldSurviveAnyBytes() {
        var random = new Random(1);
        int accepted = 0;
        for (int i = 0; i < 10_000; i++) {
            ByteBuffer bytes = write(ALL.get(random.nextInt(ALL.size())));
            for (int change = random.nextInt(4); change >= 0; change--) {
                bytes.put(random.nextInt(Math.min(64, bytes.limit())), (byte) random.nextInt());
            }
            try {
                accepted += VerbsMessage.read(bytes).call() == 0 ? 0 : 1;
            } catch (BadMessageException e) {
                assertEquals(BadMessageException.class, e.getClass());
            }
        }
        assertEquals(true, accepted > 0);
    }

    /** Neither on another connection nor by another process, with another secret or a changed byte; nor as a challenge. */
    @Test
    void shouldOpenOnlyMessagesOfItsConnection() {
        byte[] secret = {1};
        var challenge = new VerbsMessage.Challenge(3, 4);
        byte[] message = HostileVerbsPeer.bytes(ALL.getFirst());
        byte[] sealed = HostileVerbsPeer.sealed(message, new VerbsSeals(7, secret).of(challenge), 8);
        assertEquals(
                ByteBuffer.wrap(message),
                new VerbsSeals(8, secret).of(challenge).open(ByteBuffer.wrap(sealed)));
        byte[] changed = sealed.clone();
        changed[20]++;
        assertThrows(
                BadMessageException.class,
                () -> new VerbsSeals(8, secret).of(challenge).open(ByteBuffer.wrap(changed)));
        for (MessageSeal other : List.of(
                new VerbsSeals(7, secret).of(challenge),
                new VerbsSeals(8, new byte[] {2}).of(challenge),
                new VerbsSeals(8, secret).of(new VerbsMessage.Challenge(3, 5)),
                new VerbsSeals(8, secret).of(new VerbsMessage.Challenge(4, 3)),
                new VerbsSeals(8, secret).ofChallenges())) {
            assertThrows(BadMessageException.class, () -> other.open(ByteBuffer.wrap(sealed)));
        }
    }

    @Test
    void shouldOpenOnlyAddressesOfItsApplication() throws Exception {
        byte[] secret = {1};
        var address = new InetSocketAddress(InetAddress.getByAddress(new byte[] {10, 0, 0, 1}), 40_000);
        Node node = VerbsAddress.node(7, address, secret);
        assertEquals(address, VerbsAddress.open(node, secret));
        assertThrows(IllegalArgumentException.class, () -> VerbsAddress.open(node, new byte[] {2}));
        assertThrows(IllegalArgumentException.class, () -> VerbsAddress.open(new Node(8, node.address()), secret));
        assertThrows(IllegalArgumentException.class, () -> VerbsAddress.open(new Node(7, "AAAA"), secret));
        byte[] greeting = VerbsAddress.greeting(7, secret);
        assertEquals(7, VerbsAddress.sender(Arrays.copyOf(greeting, 56), secret), "padded as by rdma_cm");
        greeting[39]++; // the id
        assertThrows(IllegalArgumentException.class, () -> VerbsAddress.sender(greeting, secret));
        assertThrows(IllegalArgumentException.class, () -> VerbsAddress.sender(new byte[39], secret));
    }
}
