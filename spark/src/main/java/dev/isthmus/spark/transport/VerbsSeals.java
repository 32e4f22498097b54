// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.security.SecureRandom;

/**
 * What messages of a {@link VerbsTransport} are sealed with: a key for challenges, and one for each connection. So no
 * message that somebody has seen is valid on another connection, and whoever repeats a greeting can say nothing.
 */
final class VerbsSeals {

    private static final byte[] PURPOSE = "verbs".getBytes(US_ASCII);
    private static final SecureRandom RANDOM = new SecureRandom();

    private final long own;
    private final byte[] secret;

    /** Of the process with this id, and the secret of all peers. */
    VerbsSeals(long own, byte[] secret) {
        this.own = own;
        this.secret = secret.clone();
    }

    static VerbsMessage.Challenge newChallenge() {
        return new VerbsMessage.Challenge(RANDOM.nextLong(), RANDOM.nextLong());
    }

    /** Seals and opens challenges alone. */
    MessageSeal ofChallenges() {
        return MessageSeal.of(own, Node.seal(PURPOSE, secret));
    }

    /** Seals and opens all that follows a challenge. */
    MessageSeal of(VerbsMessage.Challenge challenge) {
        return MessageSeal.of(
                own,
                Node.seal(
                        ByteBuffer.allocate(PURPOSE.length + 2 * Long.BYTES)
                                .put(PURPOSE)
                                .putLong(challenge.high())
                                .putLong(challenge.low())
                                .array(),
                        secret));
    }
}
