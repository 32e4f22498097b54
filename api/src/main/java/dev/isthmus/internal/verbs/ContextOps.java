// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.verbs;

import static java.lang.foreign.ValueLayout.ADDRESS;

import dev.isthmus.VerbsException;
import dev.isthmus.bindings.ibverbs.ibv_context;
import dev.isthmus.bindings.ibverbs.ibv_context_ops;
import dev.isthmus.bindings.ibverbs.verbs_context;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.NativeFunction;
import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * The function pointers of an open device, which the inline functions of verbs.h call: those in
 * {@code struct ibv_context}, and those in the {@code struct verbs_context} that precedes it in memory if the library
 * has the extended ABI. Thread-safe.
 */
public final class ContextOps {

    /** {@code __VERBS_ABI_IS_EXTENDED} of verbs.h. */
    private static final long ABI_IS_EXTENDED = -1L;

    private final String device;
    private final MemorySegment table; // struct verbs_context; if not extended, it has only ibv_context
    private final boolean extended;
    private final Map<ContextFunction, NativeFunction> functions = new EnumMap<>(ContextFunction.class);

    /**
     * Reads the tables of an open {@code struct ibv_context}.
     *
     * @param device its name, for messages
     */
    public ContextOps(String device, MemorySegment handle) {
        this.device = device;
        MemorySegment context = NativeCall.sized(handle, ibv_context.sizeof());
        this.extended = ibv_context.abi_compat(context).address() == ABI_IS_EXTENDED;
        // container_of, as in verbs_get_ctx() of verbs.h.
        long base = handle.address() - verbs_context.context$offset();
        this.table = NativeCall.sized(MemorySegment.ofAddress(base), verbs_context.sizeof());
        DataPath.opened(this);
    }

    /** A function of the device; empty if the device, its driver or the loaded library lacks it. */
    public synchronized Optional<NativeFunction> find(ContextFunction function) {
        NativeFunction known = functions.get(function);
        if (known == null) {
            if (!reaches(function.offset()) || pointer(function.offset()).address() == 0) {
                return Optional.empty();
            }
            known = new NativeFunction(function.publicName(), pointer(function.offset()), function.descriptor());
            functions.put(function, known);
        }
        return Optional.of(known);
    }

    /**
     * A function of the device.
     *
     * @throws VerbsException with EOPNOTSUPP, like verbs.h, if the device lacks it
     */
    public NativeFunction require(ContextFunction function) {
        return find(function)
                .orElseThrow(() -> VerbsErrors.failure(function.publicName(), device, Errno.EOPNOTSUPP, ""));
    }

    /**
     * Whether the library that created the table knows a member, found as in verbs_get_ctx_op() of verbs.h. The struct
     * grows at its beginning, so that of an older library begins after the newer members; {@code sz} says where.
     */
    private boolean reaches(long offset) {
        return offset >= verbs_context.context$offset()
                || (extended && verbs_context.sz(table) >= verbs_context.sizeof() - offset);
    }

    private MemorySegment pointer(long offset) {
        return table.get(ADDRESS, offset);
    }

    private MemorySegment operations() {
        return ibv_context.ops(verbs_context.context(table));
    }

    /**
     * The address of a function, for a data path with its own method handle.
     *
     * @throws VerbsException with EOPNOTSUPP if the device lacks it
     */
    public MemorySegment address(ContextFunction function) {
        require(function);
        return pointer(function.offset());
    }

    /** {@code int (*poll_cq)(struct ibv_cq *, int, struct ibv_wc *)}. */
    public MemorySegment pollCq() {
        return ibv_context_ops.poll_cq(operations());
    }

    /** {@code int (*req_notify_cq)(struct ibv_cq *, int)}. */
    public MemorySegment requestNotify() {
        return ibv_context_ops.req_notify_cq(operations());
    }

    /** {@code int (*post_send)(struct ibv_qp *, struct ibv_send_wr *, struct ibv_send_wr **)}. */
    public MemorySegment postSend() {
        return ibv_context_ops.post_send(operations());
    }

    /** {@code int (*post_recv)(struct ibv_qp *, struct ibv_recv_wr *, struct ibv_recv_wr **)}. */
    public MemorySegment postReceive() {
        return ibv_context_ops.post_recv(operations());
    }

    /** {@code int (*post_srq_recv)(struct ibv_srq *, struct ibv_recv_wr *, struct ibv_recv_wr **)}. */
    public MemorySegment postSharedReceive() {
        return ibv_context_ops.post_srq_recv(operations());
    }
}
