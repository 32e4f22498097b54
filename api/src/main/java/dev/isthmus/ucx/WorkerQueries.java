// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.bindings.ucx.ucp_worker_attr;
import dev.isthmus.internal.ucx.Libucp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Queries of a worker, on its thread. */
final class WorkerQueries {

    private WorkerQueries() {}

    static UcpWorkerAttributes attributes(WorkerCore worker) {
        try (var call = new UcpCall()) {
            return UcpWorkerAttributes.read(query(call, worker, UcpWorkerAttributes.fields(), 0));
        }
    }

    static UcpAddress address(WorkerCore worker) {
        try (var call = new UcpCall()) {
            MemorySegment address = call.allocate(ValueLayout.ADDRESS);
            MemorySegment length = call.allocate(ValueLayout.JAVA_LONG);
            call.check(Libucp.WORKER_GET_ADDRESS, worker, worker.handle(), address, length);
            return copy(call, worker, address.get(ValueLayout.ADDRESS, 0), length.get(ValueLayout.JAVA_LONG, 0));
        }
    }

    static UcpAddress networkAddress(WorkerCore worker) {
        try (var call = new UcpCall()) {
            long fields = ucp_h.UCP_WORKER_ATTR_FIELD_ADDRESS() | ucp_h.UCP_WORKER_ATTR_FIELD_ADDRESS_FLAGS();
            MemorySegment attr = query(call, worker, fields, ucp_h.UCP_WORKER_ADDRESS_FLAG_NET_ONLY());
            return copy(call, worker, ucp_worker_attr.address(attr), ucp_worker_attr.address_length(attr));
        }
    }

    private static MemorySegment query(UcpCall call, WorkerCore worker, long fields, int addressFlags) {
        MemorySegment attr = ucp_worker_attr.allocate(call);
        ucp_worker_attr.field_mask(attr, fields);
        ucp_worker_attr.address_flags(attr, addressFlags);
        call.check(Libucp.WORKER_QUERY, worker, worker.handle(), attr);
        return attr;
    }

    private static UcpAddress copy(UcpCall call, WorkerCore worker, MemorySegment address, long length) {
        try {
            return UcpAddress.ofRaw(UcpCall.sized(address, length).toArray(ValueLayout.JAVA_BYTE));
        } finally {
            call.nothing(Libucp.WORKER_RELEASE_ADDRESS, worker.handle(), address);
        }
    }
}
