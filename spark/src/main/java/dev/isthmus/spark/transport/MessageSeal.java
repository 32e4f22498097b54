// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.ShortBufferException;

/**
 * Seals messages with the secret of all peers, so that nobody else can send one, or send again to a process what was for
 * another one: HMAC-SHA-256 of the receiver's id and the message, of which the first 16 bytes follow the message. Whether
 * a message comes at the right time is for {@link PeerMessage}'s numbers to tell. Confined to the transport's thread.
 */
final class MessageSeal {

    /** Bytes that every message leaves free for its seal. */
    static final int BYTES = 16;

    private final long own;
    private final Mac mac; // null if messages are not sealed
    private final byte[] hash = new byte[32];
    private final byte[] theirs = new byte[BYTES];
    private final ByteBuffer receiver = ByteBuffer.allocate(Long.BYTES);

    private MessageSeal(long own, Mac mac) {
        this.own = own;
        this.mac = mac;
    }

    /** Seals nothing. */
    static MessageSeal none() {
        return new MessageSeal(0, null);
    }

    /**
     * Seals with a secret.
     *
     * @param own the id of this process
     */
    static MessageSeal of(long own, byte[] secret) {
        byte[] key = Node.seal("messages".getBytes(StandardCharsets.UTF_8), secret);
        return new MessageSeal(own, Node.mac(key));
    }

    /** Appends the seal of a message of that length to a receiver. Returns the length with the seal. */
    int seal(MemorySegment message, int length, long to) {
        if (mac == null) {
            return length;
        }
        compute(message.asSlice(0, length).asByteBuffer(), to);
        MemorySegment.copy(
                MemorySegment.ofArray(hash), 0, message, length, BYTES); // the others of its bytes are not sent
        return length + BYTES;
    }

    /** Checks the seal of a message to this process. Returns the message without it. */
    ByteBuffer open(ByteBuffer message) {
        if (mac == null) {
            return message;
        }
        int length = message.remaining() - BYTES;
        BadMessageException.unless(length >= 0, message.remaining() + " bytes are no sealed message");
        compute(message.slice(message.position(), length), own);
        message.get(message.position() + length, theirs);
        BadMessageException.unless(
                MessageDigest.isEqual(Arrays.copyOf(hash, BYTES), theirs),
                "a message that was not sealed for this process with the application's secret");
        return message.slice(message.position(), length);
    }

    private void compute(ByteBuffer message, long to) {
        receiver.clear().putLong(to).flip();
        mac.update(receiver);
        mac.update(message);
        try {
            mac.doFinal(hash, 0);
        } catch (ShortBufferException e) {
            throw new AssertionError("32 bytes", e);
        }
    }
}
