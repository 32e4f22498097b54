// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.bindings.ucx.ucp_worker_address_attr;
import dev.isthmus.internal.ucx.Libucp;
import dev.isthmus.internal.ucx.UcxLibrary;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Locale;

/**
 * The address of a worker: {@code ucp_address_t}. A peer needs it to create an endpoint. It is a few hundred opaque
 * bytes, which the program itself carries to the peer, by a socket or a file. Immutable and thread-safe.
 *
 * <p>UCX reads an address without knowing where it ends, so bytes that are not an address can end the process.
 * {@link #toByteArray()} therefore wraps them in an envelope with a version and a checksum, and {@link #of(byte[])}
 * takes nothing else. That finds accidents. To find forgeries, too, both sides use a key that only they know:
 * {@link #toByteArray(byte[])} and {@link #of(byte[], byte[])}. Programs in C have no envelope. {@link #toRawBytes()}
 * and {@link #ofRaw} are only for those.
 *
 * <p>A peer with a correct address can still do harm: docs/what-ends-the-jvm.md says how.
 */
public final class UcpAddress {

    // A flags byte and the worker's identity come first in every address; see ucp_address_pack.
    private static final int MARK = 0x49574101; // "IWA", and the version
    private static final int SEALED_MARK = 0x49574b01; // "IWK"
    private static final String WHAT = "a worker address";

    private static final int MIN_BYTES = 9;
    private static final int MAX_BYTES = 1 << 16;

    // If an address is cut, UCX reads an end of list after it, not other memory.
    private static final int ZERO_TAIL = 512;

    private final byte[] bytes;

    private UcpAddress(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * The address that a peer sent.
     *
     * @param bytes all bytes of {@link #toByteArray()}; copied
     * @return the address
     * @throws IllegalArgumentException if they are anything else
     */
    public static UcpAddress of(byte[] bytes) {
        return read(Framed.open(bytes, MARK, WHAT, MIN_BYTES));
    }

    /**
     * The address sent by a peer that knows the same key.
     *
     * @param bytes all bytes of {@link #toByteArray(byte[])}; copied
     * @param key the key that the peer used
     * @return the address
     * @throws IllegalArgumentException if they are anything else, the key differs, or the key is empty
     */
    public static UcpAddress of(byte[] bytes, byte[] key) {
        return read(Framed.openSealed(bytes, SEALED_MARK, key, WHAT, MIN_BYTES));
    }

    private static UcpAddress read(ByteBuffer content) {
        byte[] address = new byte[content.remaining()];
        content.get(address);
        return ofRaw(address);
    }

    /**
     * The address that a program in C sent, unchecked but for its length. If the bytes are not exactly what
     * {@code ucp_worker_get_address} gave, UCX can read out of bounds, or end the process, when an endpoint is created.
     * Use it only for trusted peers in C.
     *
     * @param bytes a {@code ucp_address_t}; copied
     * @return the address
     * @throws IllegalArgumentException if no address has that length
     */
    public static UcpAddress ofRaw(byte[] bytes) {
        if (bytes.length < MIN_BYTES || bytes.length > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "a worker address has " + MIN_BYTES + " to " + MAX_BYTES + " bytes, and here are " + bytes.length);
        }
        return new UcpAddress(bytes.clone());
    }

    /**
     * The bytes to carry to a Java peer: the address in its envelope.
     *
     * @return a copy, for {@link #of(byte[])}
     */
    public byte[] toByteArray() {
        return Framed.of(MARK, bytes.length, content -> content.put(bytes));
    }

    /**
     * The bytes to carry to a Java peer that knows the same key. They have an HMAC-SHA256, so nobody else can make or
     * change them. They are not secret.
     *
     * @param key any bytes, at least one; best 32 random ones
     * @return a copy, for {@link #of(byte[], byte[])}
     * @throws IllegalArgumentException if the key is empty
     */
    public byte[] toByteArray(byte[] key) {
        return Framed.sealed(SEALED_MARK, key, bytes.length, content -> content.put(bytes));
    }

    /**
     * The bytes of {@code ucp_worker_get_address} alone, for a peer in C.
     *
     * @return a copy, for {@code ucp_ep_create} there, and {@link #ofRaw} here
     */
    public byte[] toRawBytes() {
        return bytes.clone();
    }

    /**
     * The number of the worker, unique to it: {@code ucp_worker_address_query}. Loads UCX if it is not loaded yet.
     *
     * @return the number; 0 if the address does not have it
     */
    public long workerUid() {
        UcxLibrary.load();
        try (var call = new UcpCall()) {
            MemorySegment attributes = ucp_worker_address_attr.allocate(call);
            ucp_worker_address_attr.field_mask(attributes, ucp_h.UCP_WORKER_ADDRESS_ATTR_FIELD_UID());
            call.check(Libucp.WORKER_ADDRESS_QUERY, this, copyTo(call), attributes);
            return ucp_worker_address_attr.worker_uid(attributes);
        }
    }

    MemorySegment copyTo(SegmentAllocator allocator) {
        MemorySegment copy = allocator.allocate(bytes.length + ZERO_TAIL, Long.BYTES);
        MemorySegment.copy(bytes, 0, copy, ValueLayout.JAVA_BYTE, 0, bytes.length);
        return copy;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof UcpAddress address && Arrays.equals(bytes, address.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** Enough to tell one worker from another in messages. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "UcpAddress(%08x, %d bytes)", hashCode(), bytes.length);
    }
}
