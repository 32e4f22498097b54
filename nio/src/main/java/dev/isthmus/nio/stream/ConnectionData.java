// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.cm.PrivateData;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What both sides tell each other in the private data of their connection: {@code struct rs_conn_data} of rsocket.c, 40 bytes
 * in network byte order.
 *
 * @param bigEndian the byte order in which the peer wants its {@link #targets} written
 * @param credits how many messages it takes until it grants more
 * @param targets where it wants to be told of parts of this side's ring
 * @param targetsKey the key of that
 * @param buffer where the first half of its own ring is
 * @param bufferKey the key of that
 * @param bufferBytes how long that half is
 */
record ConnectionData(
        boolean bigEndian, int credits, long targets, int targetsKey, long buffer, int bufferKey, int bufferBytes) {

    /** How many parts of a ring are told of at a time: {@code RS_SGL_SIZE}. */
    static final int TARGETS = 2;

    /** The size of what tells of one part: {@code struct rs_sge}, an address (8), a key (4) and a length (4). */
    static final int TARGET_BYTES = 16;

    private static final int BYTES = 40;
    private static final int VERSION = 1;
    private static final int FLAG_BIG_ENDIAN = 1;

    /** What is written at once is at most so much; the value of a message has no room for more. */
    private static final int MOST_BYTES = Message.MOST;

    /** What this side tells. */
    PrivateData write() {
        ByteBuffer into = ByteBuffer.allocate(BYTES);
        into.put((byte) VERSION).put((byte) (bigEndian ? FLAG_BIG_ENDIAN : 0)).putShort((short) credits);
        into.putInt(0); // reserved, and no places for further regions (iomap)
        into.putLong(targets).putInt(targetsKey).putInt(TARGETS);
        into.putLong(buffer).putInt(bufferKey).putInt(bufferBytes);
        return PrivateData.of(into.array());
    }

    /** What the peer told, which may be anything. */
    static ConnectionData read(PrivateData data) throws ProtocolException {
        if (data.length() < BYTES) {
            throw new ProtocolException("the peer sent " + data.length() + " bytes to connect with, and rsocket sends "
                    + BYTES + ": it speaks another protocol");
        }
        ByteBuffer from = ByteBuffer.wrap(data.bytes());
        int version = from.get();
        if (version != VERSION) {
            throw new ProtocolException("the peer speaks version " + version + " of rsocket, and this is " + VERSION);
        }
        boolean bigEndian = (from.get() & FLAG_BIG_ENDIAN) != 0;
        int credits = Short.toUnsignedInt(from.getShort());
        from.getInt();
        long targets = from.getLong();
        int targetsKey = from.getInt();
        int targetCount = from.getInt();
        var read = new ConnectionData(
                bigEndian, credits, targets, targetsKey, from.getLong(), from.getInt(), from.getInt());
        if (targetCount != TARGETS) {
            throw new ProtocolException(
                    "the peer has places for " + targetCount + " parts of a ring, and rsocket has " + TARGETS);
        }
        if (credits == 0 || read.bufferBytes < 1 || read.bufferBytes > MOST_BYTES) {
            throw new ProtocolException("the peer takes " + credits + " messages in "
                    + Integer.toUnsignedString(read.bufferBytes) + " bytes, where nothing fits");
        }
        return read;
    }

    static boolean isBigEndian() {
        return ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN;
    }
}
