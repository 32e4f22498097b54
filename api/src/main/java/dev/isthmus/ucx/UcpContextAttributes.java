// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_context_attr;
import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.internal.Codes;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * What UCX reports about a context: {@code ucp_context_attr_t}.
 *
 * @param name the context's name, cut to 31 characters by UCX
 * @param requestBytes how many bytes UCX needs for one outstanding operation
 * @param threadMode whether several threads may use its workers at once, each worker from one thread
 * @param memoryTypes from which memory it can send and to which it can receive, as far as Isthmus knows the types
 * @param memoryTypeBits the same as bits, 1 for main memory; with types that Isthmus does not know
 */
public record UcpContextAttributes(
        String name, long requestBytes, UcpThreadMode threadMode, Set<UcpMemoryType> memoryTypes, long memoryTypeBits) {

    static long fields() {
        return ucp_h.UCP_ATTR_FIELD_REQUEST_SIZE()
                | ucp_h.UCP_ATTR_FIELD_THREAD_MODE()
                | ucp_h.UCP_ATTR_FIELD_MEMORY_TYPES()
                | ucp_h.UCP_ATTR_FIELD_NAME();
    }

    static UcpContextAttributes read(MemorySegment attr) {
        long types = ucp_context_attr.memory_types(attr);
        return new UcpContextAttributes(
                UcpCall.name(ucp_context_attr.name(attr)),
                ucp_context_attr.request_size(attr),
                UcpThreadMode.of(ucp_context_attr.thread_mode(attr)),
                Codes.flags(UcpMemoryType.class, types, UcpMemoryType::bit),
                types);
    }
}
