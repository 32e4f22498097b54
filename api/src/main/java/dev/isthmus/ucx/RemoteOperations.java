package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.internal.ArenaUse;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.NativeMemory;
import dev.isthmus.internal.ucx.UcpRma;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/**
 * Operations of one worker on its peers' memory: calls, and account of what C has begun. The {@link UcpRemoteMemory} has
 * checked its own part.
 */
final class RemoteOperations {

    private static final long BYTES_1 = 1L << 3; // ucp_dt_make_contig, a macro: size << class bits
    private static final long BYTES_4 = 4L << 3;
    private static final long BYTES_8 = 8L << 3;

    private static final int TRANSFER =
            ucp_h.UCP_OP_ATTR_FIELD_REQUEST() | ucp_h.UCP_OP_ATTR_FIELD_DATATYPE() | ucp_h.UCP_OP_ATTR_FIELD_MEMH();

    // Without immediate completion: UCX otherwise frees the request of an atomic that fetches nothing, which is not its
    // own here, and the number that another fetched is told by its request.
    private static final int POST = ucp_h.UCP_OP_ATTR_FLAG_NO_IMM_CMPL();
    private static final int FETCH = POST | ucp_h.UCP_OP_ATTR_FIELD_REPLY_BUFFER();

    private final UcpWorker parent;
    private final UcpContext context;
    private final RequestSlots slots;
    private final UcpRequests requests;

    RemoteOperations(UcpWorker parent, RequestSlots slots, UcpRequests requests) {
        this.parent = parent;
        this.context = parent.context();
        this.slots = slots;
        this.requests = requests;
    }

    /** {@code ucp_put_nbx}. */
    @HotPath
    long put(UcpRemoteMemory to, long remote, MemorySegment from, long offset, long length, boolean implicit) {
        long local = Buffers.readable(from, offset, length);
        if (length == 0) {
            return 0;
        }
        RequestSlot slot = slots.next();
        ArenaUse use = requests.hold(from);
        long result;
        try {
            result = UcpRma.put(to.endpointHandle(), local, length, remote, to.handle(), slot.sendParameters());
        } finally {
            Reference.reachabilityFence(from); // an automatic arena must not be collected during the call
        }
        return began(result, slot, to, RequestSlot.PUT, use)
                ? keep(slot, RequestSlot.PUT, to, from, length, null, use, implicit)
                : 0;
    }

    /** {@code ucp_put_nbx} from memory that is registered already. */
    @HotPath
    long put(UcpRemoteMemory to, long remote, UcpMemory from, long offset, long length, boolean implicit) {
        MemorySegment buffer = from.buffer();
        long local = Buffers.readable(buffer, offset, length);
        if (length == 0) {
            from.acquire(context); // which refuses memory that is closed, or another context's
            from.release();
            return 0;
        }
        RequestSlot slot = slots.next();
        long param = transferParameters(slot, from.acquire(context));
        boolean begun = false;
        try {
            long result = UcpRma.put(to.endpointHandle(), local, length, remote, to.handle(), param);
            begun = began(result, slot, to, RequestSlot.PUT, null);
        } finally {
            if (!begun) {
                from.release();
            }
            Reference.reachabilityFence(buffer);
        }
        return begun ? keep(slot, RequestSlot.PUT, to, buffer, length, from, null, implicit) : 0;
    }

    /** {@code ucp_put_nbx} with options. */
    @HotPath
    long put(UcpRemoteMemory to, long remote, UcpBuffer from) {
        from.checkOf(parent);
        long local = from.address(false);
        long length = from.byteSize();
        if (length == 0) {
            return 0;
        }
        RequestSlot slot = slots.next();
        long param = from.parameters(slot, 0, 0, 0);
        from.begin(slot, false);
        long result;
        try {
            result = UcpRma.put(to.endpointHandle(), local, length, remote, to.handle(), param);
        } finally {
            Reference.reachabilityFence(from);
        }
        return began(result, slot, RequestSlot.PUT, to, from);
    }

    @HotPath
    private long began(long result, RequestSlot slot, byte kind, UcpRemoteMemory remote, UcpBuffer buffer) {
        if (result != 0 && !UcxFailure.isError(result)) {
            slot.remote = remote;
            remote.began();
        }
        return requests.began(result, slot, kind, remote.endpoint(), buffer);
    }

    /** {@code ucp_get_nbx}. */
    @HotPath
    long get(UcpRemoteMemory from, long remote, MemorySegment to, long offset, long length, boolean implicit) {
        long local = Buffers.writable(to, offset, length);
        if (length == 0) {
            return 0;
        }
        RequestSlot slot = slots.next();
        ArenaUse use = requests.hold(to);
        long result;
        try {
            result = UcpRma.get(from.endpointHandle(), local, length, remote, from.handle(), slot.sendParameters());
        } finally {
            Reference.reachabilityFence(to);
        }
        return began(result, slot, from, RequestSlot.GET, use)
                ? keep(slot, RequestSlot.GET, from, to, length, null, use, implicit)
                : 0;
    }

    /** {@code ucp_get_nbx} into memory that is registered already. */
    @HotPath
    long get(UcpRemoteMemory from, long remote, UcpMemory to, long offset, long length, boolean implicit) {
        MemorySegment buffer = to.buffer();
        long local = Buffers.writable(buffer, offset, length);
        if (length == 0) {
            to.acquire(context); // which refuses memory that is closed, or another context's
            to.release();
            return 0;
        }
        RequestSlot slot = slots.next();
        long param = transferParameters(slot, to.acquire(context));
        boolean begun = false;
        try {
            long result = UcpRma.get(from.endpointHandle(), local, length, remote, from.handle(), param);
            begun = began(result, slot, from, RequestSlot.GET, null);
        } finally {
            if (!begun) {
                to.release();
            }
            Reference.reachabilityFence(buffer);
        }
        return begun ? keep(slot, RequestSlot.GET, from, buffer, length, to, null, implicit) : 0;
    }

    /** {@code ucp_get_nbx} with options. */
    @HotPath
    long get(UcpRemoteMemory from, long remote, UcpBuffer to) {
        to.checkOf(parent);
        long local = to.address(true);
        long length = to.byteSize();
        if (length == 0) {
            return 0;
        }
        RequestSlot slot = slots.next();
        long param = to.parameters(slot, 0, 0, 0);
        to.begin(slot, false); // the callback of a get is that of a send
        long result;
        try {
            result = UcpRma.get(from.endpointHandle(), local, length, remote, from.handle(), param);
        } finally {
            Reference.reachabilityFence(to);
        }
        return began(result, slot, RequestSlot.GET, from, to);
    }

    /** {@code ucp_atomic_op_nbx} on 64 bits. The swapped number of a compare-and-swap is the second operand. */
    @HotPath
    long atomic64(
            UcpRemoteMemory on, long remote, int operation, long operand, long second, byte kind, boolean implicit) {
        RequestSlot slot = of64(operand, second);
        atomic(slot, on, remote, operation, BYTES_8, kind, null);
        return keep(slot, kind, on, null, 0, null, null, implicit);
    }

    /** The same of one that carries user data. */
    @HotPath
    long atomic64(UcpRemoteMemory on, long remote, int operation, long operand, long second, byte kind, long userData) {
        PolledOperations polled = parent.polled();
        RequestSlot slot = of64(operand, second);
        atomic(slot, on, remote, operation, BYTES_8, kind, polled);
        return requests.beginPolled(slot, kind, on.endpoint(), null, null, userData);
    }

    @HotPath
    private RequestSlot of64(long operand, long second) {
        RequestSlot slot = slots.next();
        NativeMemory.setLong(slot.operand(), operand);
        NativeMemory.setLong(slot.reply(), second);
        return slot;
    }

    /** {@code ucp_atomic_op_nbx} on 32 bits. */
    @HotPath
    long atomic32(
            UcpRemoteMemory on, long remote, int operation, int operand, int second, byte kind, boolean implicit) {
        RequestSlot slot = of32(operand, second);
        atomic(slot, on, remote, operation, BYTES_4, kind, null);
        return keep(slot, kind, on, null, 0, null, null, implicit);
    }

    /** The same of one that carries user data. */
    @HotPath
    long atomic32(UcpRemoteMemory on, long remote, int operation, int operand, int second, byte kind, long userData) {
        PolledOperations polled = parent.polled();
        RequestSlot slot = of32(operand, second);
        atomic(slot, on, remote, operation, BYTES_4, kind, polled);
        return requests.beginPolled(slot, kind, on.endpoint(), null, null, userData);
    }

    @HotPath
    private RequestSlot of32(int operand, int second) {
        RequestSlot slot = slots.next();
        NativeMemory.setInt(slot.operand(), operand);
        NativeMemory.setInt(slot.reply(), second);
        return slot;
    }

    @HotPath
    private void atomic(
            RequestSlot slot,
            UcpRemoteMemory on,
            long remote,
            int operation,
            long type,
            byte kind,
            PolledOperations polled) {
        slot.clear();
        int mask = kind == RequestSlot.ATOMIC ? POST : FETCH;
        long param = slot.parameters(mask, type, 0, 0);
        if (polled != null) {
            polled.prepare(slot, false);
        }
        long result = UcpRma.atomic(on.endpointHandle(), operation, slot.operand(), remote, on.handle(), param);
        if (!began(result, slot, on, kind, null)) {
            throw new AssertionError("ucp_atomic_op_nbx was done without a request");
        }
    }

    @HotPath
    private static long transferParameters(RequestSlot slot, long memory) {
        long param = slot.parameters(TRANSFER, BYTES_1, 0, 0);
        slot.memoryParameter(memory);
        return param;
    }

    @HotPath
    private boolean began(long result, RequestSlot slot, UcpRemoteMemory remote, byte kind, ArenaUse use) {
        requests.touch();
        if (result == 0) {
            ArenaUse.endOf(use);
            return false;
        }
        if (UcxFailure.isError(result)) {
            ArenaUse.endOf(use);
            throw UcxFailure.of((int) result, RequestSlot.call(kind), remote.toString());
        }
        slot.remote = remote;
        remote.began();
        return true;
    }

    @HotPath
    private long keep(
            RequestSlot slot,
            byte kind,
            UcpRemoteMemory remote,
            MemorySegment buffer,
            long bytes,
            UcpMemory memory,
            ArenaUse use,
            boolean implicit) {
        if (memory != null) {
            slot.memory = memory;
        }
        if (implicit) {
            requests.beginImplicit(slot, kind, remote.endpoint(), buffer, bytes, use);
            return 0;
        }
        return requests.begin(slot, kind, remote.endpoint(), buffer, bytes, use);
    }
}
