// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.bindings.ucx.ucp_lib_attr;
import dev.isthmus.internal.Codes;
import dev.isthmus.internal.ucx.Libucp;
import dev.isthmus.internal.ucx.UcxLibrary;
import java.lang.foreign.MemorySegment;

/** Which threads may use an object of UCX: {@code ucs_thread_mode_t}. */
public enum UcpThreadMode {
    /** {@code UCS_THREAD_MODE_SINGLE}: one thread, always the same. */
    SINGLE(0),
    /** {@code UCS_THREAD_MODE_SERIALIZED}: several threads, one at a time. */
    SERIALIZED(1),
    /** {@code UCS_THREAD_MODE_MULTI}: several threads at once. */
    MULTI(2),
    /** A mode that Isthmus does not know. */
    UNKNOWN(-1);

    private static final Codes<UcpThreadMode> CODES = new Codes<>(values(), UcpThreadMode::code, UNKNOWN);

    private final int code;

    UcpThreadMode(int code) {
        this.code = code;
    }

    /**
     * The C constant's value.
     *
     * @return the value, -1 for {@link #UNKNOWN}
     */
    public int code() {
        return code;
    }

    static UcpThreadMode of(int code) {
        return CODES.of(code);
    }

    /**
     * The highest mode that the loaded UCX was built for: {@code ucp_lib_query}. Loads UCX if it is not loaded
     * yet. Thread-safe.
     *
     * @return the mode; {@link #MULTI} unless UCX was built without threads
     * @throws dev.isthmus.RdmaUnavailableException if UCX is not on this machine or too old
     */
    public static UcpThreadMode supported() {
        UcxLibrary.load();
        try (var call = new UcpCall()) {
            MemorySegment attributes = ucp_lib_attr.allocate(call);
            ucp_lib_attr.field_mask(attributes, ucp_h.UCP_LIB_ATTR_FIELD_MAX_THREAD_LEVEL());
            call.check(Libucp.LIB_QUERY, "", attributes);
            return of(ucp_lib_attr.max_thread_level(attributes));
        }
    }
}
