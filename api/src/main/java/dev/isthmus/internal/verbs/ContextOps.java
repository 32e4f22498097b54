package dev.isthmus.internal.verbs;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.bindings.ibverbs.ibv_context;
import dev.isthmus.bindings.ibverbs.ibv_context_ops;
import dev.isthmus.bindings.ibverbs.verbs_context;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.NativeFunction;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The function pointers of an open device, which the inline functions of verbs.h call: those in {@code struct
 * ibv_context}, and those in the {@code struct verbs_context} that stands below it in memory when the library is of
 * the extended ABI.
 */
public final class ContextOps {

    /** {@code __VERBS_ABI_IS_EXTENDED} of verbs.h. */
    private static final long ABI_IS_EXTENDED = -1L;

    private static final FunctionDescriptor QUERY_PORT =
            FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_BYTE, ADDRESS, JAVA_LONG);

    private final MemorySegment pollCq;
    private final MemorySegment postSend;
    private final MemorySegment postReceive;
    private final MemorySegment extended; // struct verbs_context, null when there is none
    private final Optional<NativeFunction> queryPort;

    /** Reads the tables of an open {@code struct ibv_context}. */
    public ContextOps(MemorySegment handle) {
        MemorySegment context = NativeCall.sized(handle, ibv_context.sizeof());
        MemorySegment ops = ibv_context.ops(context);
        pollCq = ibv_context_ops.poll_cq(ops);
        postSend = ibv_context_ops.post_send(ops);
        postReceive = ibv_context_ops.post_recv(ops);
        extended = ibv_context.abi_compat(context).address() == ABI_IS_EXTENDED ? verbsContext(handle) : null;
        queryPort = extended("query_port", verbs_context.query_port$offset(), QUERY_PORT);
    }

    // container_of, as verbs_get_ctx() of verbs.h does it.
    private static MemorySegment verbsContext(MemorySegment handle) {
        long base = handle.address() - verbs_context.context$offset();
        return NativeCall.sized(MemorySegment.ofAddress(base), verbs_context.sizeof());
    }

    /**
     * A function pointer of verbs_context, as verbs_get_ctx_op() of verbs.h finds it: the struct grows upward, so an
     * older library's ends before the newer members, which its {@code sz} tells.
     */
    private Optional<NativeFunction> extended(String name, long offset, FunctionDescriptor descriptor) {
        if (extended == null || verbs_context.sz(extended) < verbs_context.sizeof() - offset) {
            return Optional.empty();
        }
        MemorySegment address = extended.get(ADDRESS, offset);
        return address.address() == 0
                ? Optional.empty()
                : Optional.of(new NativeFunction("verbs_context." + name, address, descriptor));
    }

    /** {@code int (*poll_cq)(struct ibv_cq *, int, struct ibv_wc *)}. */
    public MemorySegment pollCq() {
        return pollCq;
    }

    /** {@code int (*post_send)(struct ibv_qp *, struct ibv_send_wr *, struct ibv_send_wr **)}. */
    public MemorySegment postSend() {
        return postSend;
    }

    /** {@code int (*post_recv)(struct ibv_qp *, struct ibv_recv_wr *, struct ibv_recv_wr **)}. */
    public MemorySegment postReceive() {
        return postReceive;
    }

    /** {@code int (*query_port)(struct ibv_context *, uint8_t, struct ibv_port_attr *, size_t)}, where there is one. */
    public Optional<NativeFunction> queryPort() {
        return queryPort;
    }
}
