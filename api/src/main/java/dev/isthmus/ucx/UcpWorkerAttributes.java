// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.bindings.ucx.ucp_worker_attr;
import java.lang.foreign.MemorySegment;

/**
 * What UCX reports about a worker: {@code ucp_worker_attr_t}, except its address.
 *
 * @param name the worker's name, cut to 31 characters by UCX
 * @param threadMode which threads may use it
 * @param maxActiveMessageHeaderBytes how long the header of an active message may be
 * @param maxInfoBytes how long a description of an operation can be
 */
public record UcpWorkerAttributes(
        String name, UcpThreadMode threadMode, long maxActiveMessageHeaderBytes, long maxInfoBytes) {

    static long fields() {
        return ucp_h.UCP_WORKER_ATTR_FIELD_NAME()
                | ucp_h.UCP_WORKER_ATTR_FIELD_THREAD_MODE()
                | ucp_h.UCP_WORKER_ATTR_FIELD_MAX_AM_HEADER()
                | ucp_h.UCP_WORKER_ATTR_FIELD_MAX_INFO_STRING();
    }

    static UcpWorkerAttributes read(MemorySegment attr) {
        return new UcpWorkerAttributes(
                UcpCall.name(ucp_worker_attr.name(attr)),
                UcpThreadMode.of(ucp_worker_attr.thread_mode(attr)),
                ucp_worker_attr.max_am_header(attr),
                ucp_worker_attr.max_debug_string(attr));
    }
}
