// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.cm.PrivateData;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What the two sides send each other as private data of their connection: {@code struct rs_conn_data} of rsocket.c,
 * 40 bytes in network byte order.
 *
 * @param bigEndian the byte order in which the peer wants its {@link #targets} written
 * @param credits how many messages it accepts before it grants more
 * @param iomapSize how many entries its iomap has, which follows the targets
 * @param targets where to announce parts of this side's ring
 * @param targetsKey the key of the targets
 * @param buffer the address of the first half of its own ring
 * @param bufferKey the key of that
 * @param bufferBytes the length of that half
 */
record ConnectionData(
        boolean bigEndian,
        int credits,
        int iomapSize,
        long targets,
        int targetsKey,
        long buffer,
        int bufferKey,
        int bufferBytes) {

    /** How many parts of a ring can be announced at a time: {@code RS_SGL_SIZE}. */
    static final int TARGETS = 2;

    /** The size of the announcement of one part: {@code struct rs_sge}, an address (8), a key (4) and a length (4). */
    static final int TARGET_BYTES = 16;

    /** The size of an entry of the iomap: {@code struct rs_iomap}, an offset (8), and then the same as for a part. */
    static final int IOMAP_BYTES = 24;

    private static final int BYTES = 40;
    private static final int VERSION = 1;
    private static final int FLAG_BIG_ENDIAN = 1;
    private static final int FLAG_IOMAP = 2;

    /** The most bytes of one write; more does not fit into the value of a message. */
    private static final int MAX_BYTES = Message.MAX_VALUE;

    /** Valkey's protocol has none: nothing may be sent before a buffer is announced, and messages are not counted. */
    static final ConnectionData OF_VALKEY = new ConnectionData(isBigEndian(), -1, 0, 0, 0, 0, 0, 0);

    /** Encodes this side's data. */
    PrivateData write() {
        ByteBuffer into = ByteBuffer.allocate(BYTES);
        into.put((byte) VERSION)
                .put((byte) (FLAG_IOMAP | (bigEndian ? FLAG_BIG_ENDIAN : 0)))
                .putShort((short) credits);
        into.putInt(StreamOptions.scaleOf(iomapSize)); // after 3 reserved bytes
        into.putLong(targets).putInt(targetsKey).putInt(TARGETS);
        into.putLong(buffer).putInt(bufferKey).putInt(bufferBytes);
        return PrivateData.of(into.array());
    }

    /** Decodes and checks the peer's data, which may be anything. */
    static ConnectionData read(PrivateData data, StreamProtocol protocol) throws ProtocolException {
        return protocol == StreamProtocol.VALKEY ? OF_VALKEY : read(data);
    }

    static ConnectionData read(PrivateData data) throws ProtocolException {
        if (data.length() < BYTES) {
            throw new ProtocolException("the peer sent " + data.length()
                    + " bytes of connection data, and rsocket sends " + BYTES + ": it speaks another protocol");
        }
        ByteBuffer from = ByteBuffer.wrap(data.bytes());
        int version = from.get();
        if (version != VERSION) {
            throw new ProtocolException(
                    "the peer speaks version " + version + " of rsocket's protocol, and this side " + VERSION);
        }
        int flags = from.get();
        int credits = Short.toUnsignedInt(from.getShort());
        int scale = from.getInt() & 0xff;
        long targets = from.getLong();
        int targetsKey = from.getInt();
        int targetCount = from.getInt();
        var read = new ConnectionData(
                (flags & FLAG_BIG_ENDIAN) != 0,
                credits,
                (flags & FLAG_IOMAP) == 0 ? 0 : StreamOptions.iomapOf(scale),
                targets,
                targetsKey,
                from.getLong(),
                from.getInt(),
                from.getInt());
        if (targetCount != TARGETS) {
            throw new ProtocolException(
                    "the peer has places for " + targetCount + " parts of a ring, and rsocket has " + TARGETS);
        }
        if (credits == 0 || read.bufferBytes < 1 || read.bufferBytes > MAX_BYTES) {
            throw new ProtocolException("the peer announced " + credits + " credits and a buffer of "
                    + Integer.toUnsignedString(read.bufferBytes) + " bytes, which is out of range");
        }
        return read;
    }

    /** The address of an entry of its iomap. */
    long iomap(int index) {
        return targets + TARGETS * (long) TARGET_BYTES + index * (long) IOMAP_BYTES;
    }

    static boolean isBigEndian() {
        return ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN;
    }
}
