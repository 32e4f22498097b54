// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.ucx.UcpPackedKey;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a peer sends is read as it was written, or refused. */
@Tag("unit")
class MessageTest {

    private static final BlockKey BLOCK = new BlockKey(1, 1L << 40, 3, 4);

    private static final PeerMessage.Header HEADER = new PeerMessage.Header(42, 1L << 50);

    private static final List<PeerMessage> ALL = List.of(
            new PeerMessage.Hello(4096, 3, "address"),
            new PeerMessage.Welcome(4096, 1L << 40),
            new PeerMessage.Fetch(7, 1L << 40, List.of(BLOCK, new BlockKey(0, 0, 0, 9))),
            new PeerMessage.Data(7, List.of(piece(0, 3), piece(5, 0))),
            new PeerMessage.Slice(7, 2, 10_000, 1, 1L << 50, 4096, 1L << 40, key()),
            new PeerMessage.Release(-3),
            new PeerMessage.Failed(7, 1, true, "häßlich"),
            new PeerMessage.Cancel(7));

    private static PeerMessage.Piece piece(int index, int length) {
        return new PeerMessage.Piece(index, ByteBuffer.wrap(new byte[length]));
    }

    private static UcpPackedKey key() {
        return UcpPackedKey.ofRaw(0x10000, 1 << 20, new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0});
    }

    private static ByteBuffer written(PeerMessage message) {
        return PeerMessage.write(message, HEADER, ByteBuffer.allocate(PeerMessage.MAX_BYTES));
    }

    @Test
    void shouldReadWhatIsWritten() {
        for (PeerMessage message : ALL) {
            ByteBuffer bytes = written(message);
            assertEquals(HEADER, PeerMessage.header(bytes));
            assertEquals(message, PeerMessage.read(bytes));
        }
    }

    @Test
    void shouldHoldTheMostBlocksThatAreAskedFor() {
        var most = new PeerMessage.Fetch(1, 0, Collections.nCopies(PeerMessage.MAX_BLOCKS, BLOCK));
        assertEquals(most, PeerMessage.read(written(most)));
        int room = PeerMessage.roomForData(1);
        var longest = new PeerMessage.Data(1, List.of(piece(0, room)));
        assertEquals(PeerMessage.MAX_BYTES - MessageSeal.BYTES, written(longest).remaining());
    }

    /** All except texts and addresses, any beginning of which is valid. */
    @Test
    void shouldRefuseWhatEndsTooEarly() {
        for (PeerMessage message : ALL) {
            ByteBuffer whole = written(message);
            int least =
                    message instanceof PeerMessage.Hello || message instanceof PeerMessage.Failed ? 37 : whole.limit();
            for (int length = 0; length < least; length++) {
                ByteBuffer cut = whole.slice(0, length);
                assertThrows(BadMessageException.class, () -> PeerMessage.read(cut), message + " cut to " + length);
            }
        }
    }

    @Test
    void shouldRefuseWhatIsTooLong() {
        Stream<PeerMessage> fixed =
                ALL.stream().filter(one -> !(one instanceof PeerMessage.Hello) && !(one instanceof PeerMessage.Failed));
        fixed.forEach(message -> {
            ByteBuffer bytes = written(message);
            ByteBuffer longer = bytes.clear().slice(0, written(message).limit() + 1);
            assertThrows(BadMessageException.class, () -> PeerMessage.read(longer), message.toString());
        });
        ByteBuffer huge = ByteBuffer.allocate(PeerMessage.MAX_BYTES + 1);
        assertThrows(BadMessageException.class, () -> PeerMessage.header(huge));
    }

    @Test
    void shouldRefuseOtherMarksVersionsAndKinds() {
        assertThrows(
                BadMessageException.class,
                () -> PeerMessage.read(written(ALL.getFirst()).putInt(0, 1)));
        assertThrows(
                BadMessageException.class,
                () -> PeerMessage.read(written(ALL.getFirst()).put(4, (byte) 1)));
        assertThrows(
                BadMessageException.class,
                () -> PeerMessage.read(written(ALL.getFirst()).put(5, (byte) 9)));
    }

    @Test
    void shouldRefuseNumbersThatMakeNoSense() {
        int body = PeerMessage.HEADER_BYTES;
        assertThrows(
                BadMessageException.class,
                () -> PeerMessage.read(written(ALL.get(1)).putInt(body, 0)));
        assertThrows(
                BadMessageException.class,
                () -> PeerMessage.read(written(ALL.get(1)).putLong(body + 4, 0)));
        ByteBuffer fetch = written(ALL.get(2));
        assertThrows(
                BadMessageException.class,
                () -> PeerMessage.read(fetch.duplicate().putInt(body + 16, -1)));
        assertThrows(
                BadMessageException.class,
                () -> PeerMessage.read(fetch.duplicate().putInt(body + 16, PeerMessage.MAX_BLOCKS + 1)));
        assertThrows(
                BadMessageException.class,
                () -> PeerMessage.read(written(ALL.get(2)).putLong(body + 8, -1)));
        assertThrows(
                BadMessageException.class,
                () -> PeerMessage.read(written(ALL.get(2)).putInt(body + 20, -1)));
        assertThrows(
                BadMessageException.class,
                () -> PeerMessage.read(written(ALL.get(3)).putInt(body + 12, -1)));
        assertThrows(
                BadMessageException.class,
                () -> PeerMessage.read(written(ALL.get(3)).putInt(body + 16, 1 << 20)));
        assertThrows(
                BadMessageException.class,
                () -> PeerMessage.read(written(ALL.get(3)).putInt(body + 16, -1)));
        assertThrows(
                BadMessageException.class,
                () -> PeerMessage.read(written(ALL.get(4)).putLong(body + 12, 0)));
        assertThrows(
                BadMessageException.class,
                () -> PeerMessage.read(written(ALL.get(4)).putLong(body + 12, Long.MAX_VALUE)));
        assertThrows(
                BadMessageException.class,
                () -> PeerMessage.read(written(ALL.get(4)).putInt(body + 20, -1)));
        assertThrows(
                BadMessageException.class,
                () -> PeerMessage.read(written(ALL.get(4)).putLong(body + 32, -1)));
        ByteBuffer key = written(ALL.get(4));
        key.put(key.limit() - 1, (byte) ~key.get(key.limit() - 1));
        assertThrows(BadMessageException.class, () -> PeerMessage.read(key));
    }

    /** It throws nothing but its exception, whatever bytes a peer sends. */
    @Test
    void shouldSurviveAnyBytes() {
        var random = new Random(20261125);
        int refused = 0;
        for (int round = 0; round < 200_000; round++) {
            ByteBuffer bytes = written(ALL.get(round % ALL.size()));
            for (int i = random.nextInt(4); i >= 0; i--) {
                bytes.put(random.nextInt(bytes.limit()), (byte) random.nextInt());
            }
            try {
                PeerMessage.read(bytes);
            } catch (BadMessageException e) {
                refused++;
            }
        }
        assertTrue(refused > 50_000, refused + " refused");
    }
}
