// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.NativeFunction;
import dev.isthmus.internal.ucx.Libucp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The two ways to turn memory into bytes for another process. UCX allocates the bytes, and gets them back. */
final class MemoryPacking {

    // ucp_memh_pack_params_t of UCX 1.14: {uint64_t field_mask; uint64_t flags;}. The params of the release have only
    // a mask.
    private static final long PACK_PARAMS_BYTES = 16;
    private static final long PACK_FLAGS_OFFSET = 8;
    private static final long FIELD_FLAGS = 1;
    private static final long FLAG_EXPORT = 1;

    private MemoryPacking() {}

    /** {@code ucp_rkey_pack}. */
    static byte[] key(UcpCall call, Object object, long context, long memory) {
        MemorySegment buffer = call.allocate(ValueLayout.ADDRESS);
        MemorySegment size = call.allocate(ValueLayout.JAVA_LONG);
        call.check(Libucp.RKEY_PACK, object, context, memory, buffer, size);
        return take(buffer, size, packed -> call.nothing(Libucp.RKEY_BUFFER_RELEASE, packed));
    }

    /** {@code ucp_memh_pack}. */
    static byte[] exported(UcpCall call, Object object, long memory) {
        MemorySegment params = call.allocate(PACK_PARAMS_BYTES, Long.BYTES);
        params.set(ValueLayout.JAVA_LONG, 0, FIELD_FLAGS);
        params.set(ValueLayout.JAVA_LONG, PACK_FLAGS_OFFSET, FLAG_EXPORT);
        MemorySegment buffer = call.allocate(ValueLayout.ADDRESS);
        MemorySegment size = call.allocate(ValueLayout.JAVA_LONG);
        NativeFunction pack = Libucp.MEMH_PACK;
        call.check(pack, object, memory, params, buffer, size);
        MemorySegment nothing = call.allocate(ValueLayout.JAVA_LONG);
        return take(buffer, size, packed -> call.nothing(Libucp.MEMH_BUFFER_RELEASE, packed, nothing));
    }

    private interface BufferRelease {
        void run(MemorySegment packed);
    }

    private static byte[] take(MemorySegment buffer, MemorySegment size, BufferRelease release) {
        MemorySegment packed = buffer.get(ValueLayout.ADDRESS, 0);
        try {
            return NativeCall.sized(packed, size.get(ValueLayout.JAVA_LONG, 0)).toArray(ValueLayout.JAVA_BYTE);
        } finally {
            release.run(packed);
        }
    }
}
