// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.bindings.ucx.ucp_mem_attr;
import dev.isthmus.bindings.ucx.ucp_mem_map_params;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.ucx.Libucp;
import dev.isthmus.internal.ucx.UcxLibrary;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Supplier;

/** From a {@link UcpMemoryConfig} to {@code ucp_mem_map}, and back again. */
final class MemoryMapping {

    /**
     * {@code UCP_MEM_MAP_PARAM_FIELD_EXPORTED_MEMH_BUFFER}, since UCX 1.14, and the offset of its field, which follows
     * those of 1.13.
     */
    private static final long EXPORTED_FIELD = 1 << 5;

    private static final int EXPORTED_SINCE = 14;

    private static final long EXPORTED_OFFSET = ucp_mem_map_params.sizeof();

    // More than any machine has, and small enough not to overflow when UCX rounds it up.
    private static final long MAX_BYTES = 1L << 46;

    private MemoryMapping() {}

    static long register(UcpContext context, MemorySegment segment, UcpMemoryConfig config) {
        try (var call = new UcpCall(context.lifetime())) {
            MemorySegment params = parameters(call, context, segment.byteSize(), config, 0);
            addAddress(params, segment.address());
            return map(call, context, segment.byteSize(), params);
        }
    }

    static long allocate(UcpContext context, long bytes, UcpMemoryConfig config) {
        checkSize(bytes);
        long address = config.fixedAddress();
        try (var call = new UcpCall(context.lifetime())) {
            int fixed = address == 0 ? 0 : ucp_h.UCP_MEM_MAP_FIXED();
            MemorySegment params = parameters(call, context, bytes, config, ucp_h.UCP_MEM_MAP_ALLOCATE() | fixed);
            if (address == 0) {
                return map(call, context, bytes, params);
            }
            addAddress(params, address);
            AddressReservation reservation = AddressReservation.reserve(address, bytes);
            long memory = map(call, context, bytes, params); // if it fails, the reservation stays: UCX may have used it
            return orUnmap(context, memory, () -> {
                UcpMemoryAttributes mapped = query(call, context, memory);
                reservation.releaseFrom(mapped.address() + mapped.byteSize());
                return memory;
            });
        }
    }

    static long importExported(UcpContext context, UcpExportedMemory exported) {
        UcxLibrary.require(EXPORTED_SINCE, "importing memory");
        try (var call = new UcpCall(context.lifetime())) {
            MemorySegment params = call.allocate(EXPORTED_OFFSET + ValueLayout.ADDRESS.byteSize(), Long.BYTES);
            ucp_mem_map_params.field_mask(params, EXPORTED_FIELD);
            params.set(ValueLayout.ADDRESS, EXPORTED_OFFSET, exported.copyTo(call));
            return call.create(Libucp.MEM_MAP, context + ", " + exported, context.handle(), params);
        }
    }

    /** Creates the Java object for memory that C has mapped, or unmaps it again. */
    static <T> T orUnmap(UcpContext context, long memory, Supplier<T> represent) {
        return Lifetime.orDestroy(represent, () -> {
            try (var call = new UcpCall()) {
                unmap(call, context, memory);
            }
        });
    }

    /** {@code ucp_mem_unmap}, which always returns UCS_OK. */
    static void unmap(NativeCall call, UcpContext context, long memory) {
        call.integer8(Libucp.MEM_UNMAP, context.handle(), memory);
    }

    static UcpMemoryAttributes query(UcpCall call, Object object, long memory) {
        MemorySegment attr = ucp_mem_attr.allocate(call);
        ucp_mem_attr.field_mask(attr, UcpMemoryAttributes.fields());
        call.check(Libucp.MEM_QUERY, object, memory, attr);
        return UcpMemoryAttributes.read(attr);
    }

    static void checkSize(long bytes) {
        if (bytes <= 0 || bytes > MAX_BYTES) {
            throw new IllegalArgumentException("there is no memory of " + bytes + " bytes: 1 to " + MAX_BYTES);
        }
    }

    private static long map(UcpCall call, UcpContext context, long bytes, MemorySegment params) {
        return call.create(Libucp.MEM_MAP, context + ", " + bytes + " bytes", context.handle(), params);
    }

    private static MemorySegment parameters(
            UcpCall call, UcpContext context, long bytes, UcpMemoryConfig config, int flags) {
        checkSize(bytes);
        MemorySegment params = ucp_mem_map_params.allocate(call);
        ucp_mem_map_params.length(params, bytes);
        ucp_mem_map_params.flags(params, flags | config.flags());
        long mask = ucp_h.UCP_MEM_MAP_PARAM_FIELD_LENGTH() | ucp_h.UCP_MEM_MAP_PARAM_FIELD_FLAGS();
        UcpMemoryType type = config.memoryType();
        if (type != null) {
            refuseOther(context, type); // C uses it as an index, which some versions do not check
            mask |= ucp_h.UCP_MEM_MAP_PARAM_FIELD_MEMORY_TYPE();
            ucp_mem_map_params.memory_type(params, type.code());
        }
        ucp_mem_map_params.field_mask(params, mask);
        return params;
    }

    private static void refuseOther(UcpContext context, UcpMemoryType type) {
        UcpContextAttributes attributes = context.attributes();
        if (!attributes.memoryTypes().contains(type)) {
            throw new IllegalArgumentException(
                    context + " has no memory of type " + type + ", only " + attributes.memoryTypes());
        }
    }

    private static void addAddress(MemorySegment params, long address) {
        ucp_mem_map_params.address(params, MemorySegment.ofAddress(address));
        ucp_mem_map_params.field_mask(
                params, ucp_mem_map_params.field_mask(params) | ucp_h.UCP_MEM_MAP_PARAM_FIELD_ADDRESS());
    }
}
