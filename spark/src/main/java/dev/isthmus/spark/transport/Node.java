// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import dev.isthmus.ucx.UcpAddress;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Where to reach a transport.
 *
 * @param id a number that is unique in the application
 * @param address the address of its UCX worker, sealed with the application's secret for this number, in Base64
 */
public record Node(long id, String address) {

    static Node of(long id, UcpAddress address, byte[] secret) {
        return new Node(id, Base64.getEncoder().encodeToString(address.toByteArray(key(id, secret))));
    }

    /**
     * The address. Throws an IllegalArgumentException unless it was sealed for this number by somebody who knows
     * the secret.
     */
    UcpAddress open(byte[] secret) {
        return UcpAddress.of(Base64.getDecoder().decode(address), key(id, secret));
    }

    /** Each number has a key of its own, so an address that somebody has seen cannot be used for another number. */
    private static byte[] key(long id, byte[] secret) {
        return seal(ByteBuffer.allocate(Long.BYTES).putLong(id).array(), secret);
    }

    /**
     * HMAC-SHA-256.
     *
     * @param content what it is of
     * @param secret the key
     * @return 32 bytes
     */
    public static byte[] seal(byte[] content, byte[] secret) {
        return mac(secret).doFinal(content);
    }

    /** HMAC-SHA-256 with a secret. */
    static Mac mac(byte[] secret) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret, "HmacSHA256"));
            return mac;
        } catch (GeneralSecurityException e) {
            throw new AssertionError("every JDK has it", e);
        }
    }
}
