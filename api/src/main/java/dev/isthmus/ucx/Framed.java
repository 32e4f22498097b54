// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import java.nio.ByteBuffer;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Bytes that a program carries to a peer, preceded by a mark that says what they are and by a checksum, because C reads
 * them without knowing their length. In network order:
 *
 * <pre>
 *   | mark, 4 bytes | check sum of what follows, 4 bytes | content |
 * </pre>
 */
final class Framed {

    private static final int HEAD_BYTES = 2 * Integer.BYTES;
    private static final int SEAL_BYTES = 32;
    private static final int SEALED_HEAD_BYTES = Integer.BYTES + SEAL_BYTES;

    private Framed() {}

    /** The bytes of a frame with a content of that length, which is written at the buffer's position. */
    static byte[] of(int mark, int contentBytes, Consumer<ByteBuffer> content) {
        byte[] bytes = new byte[HEAD_BYTES + contentBytes];
        ByteBuffer frame = ByteBuffer.wrap(bytes).putInt(mark).putInt(0);
        content.accept(frame);
        frame.putInt(Integer.BYTES, sum(bytes));
        return bytes;
    }

    /**
     * Checks a frame, and returns its content.
     *
     * @param what the bytes are, for messages
     * @param minBytes of the content
     * @throws IllegalArgumentException if it was not made by {@link #of}
     */
    static ByteBuffer open(byte[] bytes, int mark, String what, int minBytes) {
        ByteBuffer frame = ByteBuffer.wrap(bytes);
        if (bytes.length < HEAD_BYTES + minBytes || frame.getInt() != mark || frame.getInt() != sum(bytes)) {
            throw new IllegalArgumentException("these " + bytes.length + " bytes are not " + what
                    + " as this version writes it: pass on all bytes of toByteArray(), and only those");
        }
        return frame;
    }

    /**
     * The bytes of a frame that only holders of a key can make: it has an HMAC-SHA256 in place of the checksum.
     *
     * @throws IllegalArgumentException if the key is empty
     */
    static byte[] sealed(int mark, byte[] key, int contentBytes, Consumer<ByteBuffer> content) {
        byte[] bytes = new byte[SEALED_HEAD_BYTES + contentBytes];
        ByteBuffer frame = ByteBuffer.wrap(bytes).putInt(mark).position(SEALED_HEAD_BYTES);
        content.accept(frame);
        frame.put(Integer.BYTES, seal(bytes, key));
        return bytes;
    }

    /**
     * Checks such a frame, and returns its content.
     *
     * @throws IllegalArgumentException if it was not made by {@link #sealed} with that key
     */
    static ByteBuffer openSealed(byte[] bytes, int mark, byte[] key, String what, int minBytes) {
        ByteBuffer frame = ByteBuffer.wrap(bytes);
        byte[] seal = new byte[SEAL_BYTES];
        if (bytes.length < SEALED_HEAD_BYTES + minBytes
                || frame.getInt() != mark
                || !MessageDigest.isEqual(seal(bytes, key), read(frame, seal))) {
            throw new IllegalArgumentException("these " + bytes.length + " bytes are not " + what
                    + " that was made with this key: pass on all bytes of toByteArray(key), and only those");
        }
        return frame;
    }

    private static byte[] read(ByteBuffer frame, byte[] into) {
        frame.get(into);
        return into;
    }

    private static byte[] seal(byte[] bytes, byte[] key) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256")); // refuses an empty key
            mac.update(bytes, 0, Integer.BYTES);
            mac.update(bytes, SEALED_HEAD_BYTES, bytes.length - SEALED_HEAD_BYTES);
            return mac.doFinal();
        } catch (NoSuchAlgorithmException | InvalidKeyException e) {
            throw new LinkageError("every Java has HmacSHA256", e);
        }
    }

    private static int sum(byte[] bytes) {
        var sum = new CRC32C();
        sum.update(bytes, HEAD_BYTES, bytes.length - HEAD_BYTES);
        return (int) sum.getValue();
    }
}
