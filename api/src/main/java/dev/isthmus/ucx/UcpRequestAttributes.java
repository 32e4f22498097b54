// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.bindings.ucx.ucp_request_attr_t;
import dev.isthmus.internal.ucx.Libucp;
import dev.isthmus.internal.ucx.UcxLibrary;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Optional;

/**
 * What UCX reports about an operation: {@code ucp_request_attr_t}.
 *
 * @param status whether it is in progress, or how it ended
 * @param memoryType where its memory is; empty if it has ended, and for operations such as flushes, for which UCX does
 *     not report it
 * @param description protocol, length and transport, for people to read, in a form that differs between versions of
 *     UCX; empty if the operation has ended, and where UCX may crash while it looks: in 1.14 and later, and for a send
 *     on an endpoint that failed or was connected by socket address
 */
public record UcpRequestAttributes(UcsStatus status, Optional<UcpMemoryType> memoryType, String description) {

    static final UcpRequestAttributes DONE = new UcpRequestAttributes(UcsStatus.OK, Optional.empty(), "");

    private static final int LAST_TO_DESCRIBE = 13; // later versions assume that the request is in UCX's own memory
    private static final int SINCE_RDMA = 16;
    private static final int DESCRIPTION_BYTES = 1024;

    static UcpRequestAttributes ended(RequestSlot slot) {
        return new UcpRequestAttributes(UcsStatus.of(slot.status), Optional.empty(), "");
    }

    static UcpRequestAttributes query(RequestSlot slot) {
        try (var call = new UcpCall()) {
            MemorySegment attr = ucp_request_attr_t.allocate(call);
            MemorySegment text = call.allocate(DESCRIPTION_BYTES, 1);
            long fields = ucp_h.UCP_REQUEST_ATTR_FIELD_STATUS() | ucp_h.UCP_REQUEST_ATTR_FIELD_MEM_TYPE();
            if (isDescribable(slot)) {
                fields |= ucp_h.UCP_REQUEST_ATTR_FIELD_INFO_STRING() | ucp_h.UCP_REQUEST_ATTR_FIELD_INFO_STRING_SIZE();
                ucp_request_attr_t.debug_string(attr, text);
                ucp_request_attr_t.debug_string_size(attr, DESCRIPTION_BYTES);
            }
            ucp_request_attr_t.field_mask(attr, fields);
            call.check(Libucp.REQUEST_QUERY, "an operation", slot.address, attr);
            return new UcpRequestAttributes(
                    UcsStatus.of(ucp_request_attr_t.status(attr)),
                    type(ucp_request_attr_t.mem_type(attr)),
                    text.getString(0));
        }
    }

    // For no type, UCX returns the number after its last type, which depends on the version.
    private static Optional<UcpMemoryType> type(int code) {
        boolean known = code < UcpMemoryType.RDMA.code() || UcxLibrary.load()[1] >= SINCE_RDMA;
        return Arrays.stream(UcpMemoryType.values())
                .filter(t -> known && t.code() == code)
                .findFirst();
    }

    private static boolean isDescribable(RequestSlot slot) {
        boolean sound = slot.endpoint == null || slot.endpoint.isDescribable();
        return sound && UcxLibrary.load()[1] <= LAST_TO_DESCRIBE;
    }
}
