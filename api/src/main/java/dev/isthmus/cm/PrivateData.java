// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Bytes of the program's own that travel with the messages that set up a connection. An immutable value.
 *
 * <p>How many fit depends on the message and the transport. RoCE and InfiniBand take 56 with a request for a
 * connection, 196 with its acceptance, 148 with a rejection; for datagrams 180 and 136. iWARP takes 255 at most, and
 * SoftiWARP 251: it drops a connection with more. The receiver gets them padded with zeros to the message's length, so put
 * the length inside, or use a known one. They come from the peer: do not trust them.
 */
public final class PrivateData {

    /** The largest number that any transport takes. */
    public static final int MAX_BYTES = 255;

    /** None. */
    public static final PrivateData NONE = new PrivateData(new byte[0]);

    private final byte[] bytes;

    private PrivateData(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * Private data of bytes.
     *
     * @param bytes the bytes, which are copied
     * @return the private data
     * @throws IllegalArgumentException if there are more than {@link #MAX_BYTES}
     */
    public static PrivateData of(byte[] bytes) {
        if (bytes.length > MAX_BYTES) {
            throw new IllegalArgumentException(
                    bytes.length + " bytes of private data: no transport takes more than " + MAX_BYTES);
        }
        return bytes.length == 0 ? NONE : new PrivateData(bytes.clone());
    }

    /**
     * Private data of text, in UTF-8.
     *
     * @param text the text
     * @return the private data
     * @throws IllegalArgumentException if that is more than {@link #MAX_BYTES} bytes
     */
    public static PrivateData of(String text) {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * The bytes.
     *
     * @return a copy of them
     */
    public byte[] bytes() {
        return bytes.clone();
    }

    /**
     * How many there are, padding included.
     *
     * @return 0 to 255
     */
    public int length() {
        return bytes.length;
    }

    /**
     * The bytes up to the first zero or the end, as UTF-8 text. Bytes that are no text become replacement characters.
     *
     * @return the text
     */
    public String text() {
        int end = 0;
        while (end < bytes.length && bytes[end] != 0) {
            end++;
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8);
    }

    /** Whether the other object has the same bytes; padding counts. */
    @Override
    public boolean equals(Object other) {
        return other instanceof PrivateData that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** How many bytes there are, but not the bytes, which may be secret or hostile. */
    @Override
    public String toString() {
        return bytes.length + " bytes";
    }
}
