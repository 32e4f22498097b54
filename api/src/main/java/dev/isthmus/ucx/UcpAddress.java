package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.bindings.ucx.ucp_worker_address_attr;
import dev.isthmus.internal.ucx.Libucp;
import dev.isthmus.internal.ucx.UcxLibrary;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * The address of a worker, as a peer needs it to make an endpoint: {@code ucp_address_t}. Opaque bytes, a few hundred,
 * that a program carries to the peer itself, by a socket or a file. Immutable.
 *
 * <p>UCX reads an address without knowing its length and without a check sum: bytes that are not what {@link
 * UcpWorker#address()} gave can end the process. Take them only from peers that are trusted.
 */
public final class UcpAddress {

    // A flags byte and the worker's identity come first in every address; see ucp_address_pack.
    private static final int MIN_BYTES = 9;
    private static final int MAX_BYTES = 1 << 16;

    // What UCX reads behind a cut address is an end of list rather than somebody else's memory.
    private static final int ZERO_TAIL = 512;

    private final byte[] bytes;

    private UcpAddress(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * The address that a peer sent. Thread-safe.
     *
     * @param bytes all bytes of {@link #toByteArray()}; copied
     * @return the address
     * @throws IllegalArgumentException if no address has that length
     */
    public static UcpAddress of(byte[] bytes) {
        if (bytes.length < MIN_BYTES || bytes.length > MAX_BYTES) {
            throw new IllegalArgumentException("a worker address has " + MIN_BYTES + " to " + MAX_BYTES
                    + " bytes, and here are " + bytes.length + ": pass on all bytes of toByteArray(), and only those");
        }
        return new UcpAddress(bytes.clone());
    }

    /**
     * The bytes to carry to the peer.
     *
     * @return a copy
     */
    public byte[] toByteArray() {
        return bytes.clone();
    }

    /**
     * How many bytes there are.
     *
     * @return the length in bytes
     */
    public int byteSize() {
        return bytes.length;
    }

    /**
     * The number of the worker, which no other worker has: {@code ucp_worker_address_query}. Loads UCX, if nobody did.
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

    /** Enough to tell one worker from another in a message. */
    @Override
    public String toString() {
        return String.format("UcpAddress(%08x, %d bytes)", hashCode(), bytes.length);
    }
}
