package dev.isthmus.ucx;

import java.nio.ByteBuffer;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/**
 * Bytes that a program carries to a peer, behind a mark that says what they are and a check sum, because C reads them
 * without knowing where they end. In network order:
 *
 * <pre>
 *   | mark, 4 bytes | check sum of what follows, 4 bytes | content |
 * </pre>
 */
final class Framed {

    private static final int HEAD_BYTES = 2 * Integer.BYTES;

    private Framed() {}

    /** The bytes of a frame with a content of that length, which is written where the buffer stands. */
    static byte[] of(int mark, int contentBytes, Consumer<ByteBuffer> content) {
        byte[] bytes = new byte[HEAD_BYTES + contentBytes];
        ByteBuffer frame = ByteBuffer.wrap(bytes).putInt(mark).putInt(0);
        content.accept(frame);
        frame.putInt(Integer.BYTES, sum(bytes));
        return bytes;
    }

    /**
     * The content of a frame.
     *
     * @param what the bytes are, for messages
     * @param minBytes of the content
     * @throws IllegalArgumentException if it is not what {@link #of} gave
     */
    static ByteBuffer open(byte[] bytes, int mark, String what, int minBytes) {
        ByteBuffer frame = ByteBuffer.wrap(bytes);
        if (bytes.length < HEAD_BYTES + minBytes || frame.getInt() != mark || frame.getInt() != sum(bytes)) {
            throw new IllegalArgumentException("these " + bytes.length + " bytes are not " + what
                    + ": pass on all bytes of toByteArray(), and only those");
        }
        return frame;
    }

    private static int sum(byte[] bytes) {
        var sum = new CRC32C();
        sum.update(bytes, HEAD_BYTES, bytes.length - HEAD_BYTES);
        return (int) sum.getValue();
    }
}
