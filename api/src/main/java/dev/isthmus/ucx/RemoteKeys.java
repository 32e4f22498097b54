// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.UcxException;
import dev.isthmus.internal.ucx.Libucp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/** The calls of a {@link UcpRemoteMemory} other than operations. */
final class RemoteKeys {

    private RemoteKeys() {}

    /** {@code ucp_ep_rkey_unpack}, on an open endpoint of this thread. */
    static long unpack(UcpEndpoint endpoint, UcpPackedKey key) {
        UcpContext context = endpoint.worker().context();
        if (!UcpRemoteMemory.isIn(context)) {
            throw new IllegalStateException(context + " was made without UcpFeature.RMA, AMO32 and AMO64");
        }
        if (endpoint.isFailed()) {
            throw failed(endpoint);
        }
        if (!endpoint.isEstablished()) {
            throw new IllegalStateException(endpoint + " is still connecting, and UCX would bind the key to what the"
                    + " connection is now: let the worker progress until a flush of the endpoint is done");
        }
        PackedKeyFormat.checkMemoryType(key.bytes());
        if (PackedKeyFormat.isGone(key) && endpoint.isOverSharedMemory()) {
            throw UcxFailure.of(
                    UcsStatus.SHMEM_SEGMENT.code(), Libucp.EP_RKEY_UNPACK.name(), key + " over " + endpoint);
        }
        try (var call = new UcpCall()) {
            return call.create(Libucp.EP_RKEY_UNPACK, key + " over " + endpoint, endpoint.handle(), key.copyTo(call));
        }
    }

    /** {@code ucp_rkey_ptr}: where the key's memory begins in this process, if it is mapped. */
    static Optional<MemorySegment> pointer(long rkey, UcpPackedKey key) {
        if (!PackedKeyFormat.isOfHostMemory(key.bytes())) {
            return Optional.empty();
        }
        try (var call = new UcpCall()) {
            MemorySegment out = call.allocate(ValueLayout.ADDRESS);
            int status = call.integer8(Libucp.RKEY_PTR, rkey, key.address(), out);
            return status == 0 ? Optional.of(out.get(ValueLayout.ADDRESS, 0)) : Optional.empty();
        }
    }

    /** {@code ucp_rkey_compare}. */
    static int compare(Object object, long worker, long rkey, long other) {
        var compare = Libucp.RKEY_COMPARE;
        try (var call = new UcpCall()) {
            MemorySegment params = call.allocate(ValueLayout.JAVA_LONG); // an empty mask of fields
            MemorySegment result = call.allocateInt();
            call.check(compare, object, worker, rkey, other, params, result);
            return result.get(ValueLayout.JAVA_INT, 0);
        }
    }

    /** The exception for a failed endpoint, with which UCX would dereference unset transports. */
    static UcxException failed(UcpEndpoint endpoint) {
        return UcxFailure.of(endpoint.failureCode(), "an operation on remote memory", endpoint.toString());
    }
}
