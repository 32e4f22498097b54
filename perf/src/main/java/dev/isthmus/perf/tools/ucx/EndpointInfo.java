// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * What an end tells the other about itself: {@code ucx_perf_ep_info_t}, followed by address and key.
 *
 * @param address of the worker
 * @param key of the memory, as packed by UCX; empty if the test needs none
 * @param memory where the memory is
 */
@SuppressWarnings("ArrayRecordComponent") // never compared or kept
record EndpointInfo(byte[] address, byte[] key, long memory) {

    /** The longest that C accepts. */
    static final int MAX_BYTES = 2048;

    private static final int HEAD = 5 * Long.BYTES;

    byte[] encode() {
        int total = HEAD + address.length + key.length;
        return ByteBuffer.allocate(total)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(address.length)
                .putLong(total)
                .putLong(0) // used by tests of the transport layer
                .putLong(key.length)
                .putLong(memory)
                .put(address)
                .put(key)
                .array();
    }

    static EndpointInfo decode(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        long address = bytes.length < HEAD ? -1 : in.getLong();
        long total = address < 0 ? -1 : in.getLong();
        long key = total < 0 ? -1 : in.getLong(3 * Long.BYTES);
        if (key < 0
                || total != bytes.length
                || address > bytes.length
                || key > bytes.length
                || HEAD + address + key != total) {
            throw new IllegalArgumentException("its address and key have inconsistent lengths");
        }
        long memory = in.getLong(4 * Long.BYTES);
        int keyAt = HEAD + (int) address;
        return new EndpointInfo(
                Arrays.copyOfRange(bytes, HEAD, keyAt), Arrays.copyOfRange(bytes, keyAt, bytes.length), memory);
    }
}
