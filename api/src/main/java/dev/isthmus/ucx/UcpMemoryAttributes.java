// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.bindings.ucx.ucp_mem_attr;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * What UCX reports about memory: {@code ucp_mem_attr_t}.
 *
 * @param address where the registered memory begins, which may be before the program's
 * @param byteSize how much is registered, which may be more than was asked for
 * @param memoryType where it is; empty for a type that Isthmus does not know
 * @param memoryTypeCode the same as a number
 */
public record UcpMemoryAttributes(long address, long byteSize, Optional<UcpMemoryType> memoryType, int memoryTypeCode) {

    static long fields() {
        return ucp_h.UCP_MEM_ATTR_FIELD_ADDRESS()
                | ucp_h.UCP_MEM_ATTR_FIELD_LENGTH()
                | ucp_h.UCP_MEM_ATTR_FIELD_MEM_TYPE();
    }

    static UcpMemoryAttributes read(MemorySegment attr) {
        int type = ucp_mem_attr.mem_type(attr);
        return new UcpMemoryAttributes(
                ucp_mem_attr.address(attr).address(), ucp_mem_attr.length(attr), UcpMemoryType.of(type), type);
    }
}
