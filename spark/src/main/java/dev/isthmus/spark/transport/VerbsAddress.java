// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;

/** Seals what peers of a {@link VerbsTransport} tell each other about themselves, with the application's secret. */
final class VerbsAddress {

    private static final int SEAL_BYTES = 32;
    private static final byte ADDRESS = 1;
    private static final byte GREETING = 2;

    private VerbsAddress() {}

    /** A node with the address where a transport listens. */
    static Node node(long id, InetSocketAddress address, byte[] secret) {
        byte[] ip = address.getAddress().getAddress();
        byte[] content = ByteBuffer.allocate(ip.length + Short.BYTES)
                .put(ip)
                .putShort((short) address.getPort())
                .array();
        byte[] sealed = ByteBuffer.allocate(SEAL_BYTES + content.length)
                .put(seal(ADDRESS, id, content, secret))
                .put(content)
                .array();
        return new Node(id, Base64.getEncoder().encodeToString(sealed));
    }

    /** Where a node listens. Throws an IllegalArgumentException unless it was sealed with the secret for that node. */
    static InetSocketAddress open(Node node, byte[] secret) {
        byte[] sealed = Base64.getDecoder().decode(node.address());
        int bytes = sealed.length - SEAL_BYTES - Short.BYTES;
        if (bytes != 4 && bytes != 16) {
            throw new IllegalArgumentException("an address of " + sealed.length + " bytes");
        }
        byte[] content = Arrays.copyOfRange(sealed, SEAL_BYTES, sealed.length);
        check(seal(ADDRESS, node.id(), content, secret), sealed);
        try {
            int port = Short.toUnsignedInt(ByteBuffer.wrap(content).getShort(bytes));
            return new InetSocketAddress(InetAddress.getByAddress(Arrays.copyOf(content, bytes)), port);
        } catch (UnknownHostException e) {
            throw new UncheckedIOException(e); // never: it has 4 or 16 bytes
        }
    }

    /** What the node with this id sends when it connects. */
    static byte[] greeting(long id, byte[] secret) {
        return ByteBuffer.allocate(SEAL_BYTES + Long.BYTES)
                .put(seal(GREETING, id, new byte[0], secret))
                .putLong(id)
                .array();
    }

    /** Who has sent a greeting, with anything behind it. Throws an IllegalArgumentException if nobody of the peers. */
    static long sender(byte[] greeting, byte[] secret) {
        if (greeting.length < SEAL_BYTES + Long.BYTES) { // rdma_cm may pad it
            throw new IllegalArgumentException("a greeting of " + greeting.length + " bytes");
        }
        long id = ByteBuffer.wrap(greeting).getLong(SEAL_BYTES);
        check(seal(GREETING, id, new byte[0], secret), greeting);
        return id;
    }

    private static byte[] seal(byte kind, long id, byte[] content, byte[] secret) {
        return Node.seal(
                ByteBuffer.allocate(1 + Long.BYTES + content.length)
                        .put(kind)
                        .putLong(id)
                        .put(content)
                        .array(),
                secret);
    }

    private static void check(byte[] seal, byte[] sealed) {
        if (!MessageDigest.isEqual(seal, Arrays.copyOf(sealed, SEAL_BYTES))) {
            throw new IllegalArgumentException("it was not sealed with this application's secret");
        }
    }
}
