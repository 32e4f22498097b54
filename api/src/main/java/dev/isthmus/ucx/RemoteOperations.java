// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_h;
import dev.isthmus.internal.ArenaUse;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.NativeMemory;
import dev.isthmus.internal.ucx.UcpRma;
import java.lang.foreign.MemorySegment;

/** Operations of one worker on its peers' memory: checks and calls. {@link UcpRemoteMemory} has made its own checks. */
final class RemoteOperations {

    private static final long BYTES_1 = 1L << 3; // ucp_dt_make_contig, a macro: size << class bits
    private static final long BYTES_4 = 4L << 3;
    private static final long BYTES_8 = 8L << 3;

    private static final int TRANSFER =
            ucp_h.UCP_OP_ATTR_FIELD_REQUEST() | ucp_h.UCP_OP_ATTR_FIELD_DATATYPE() | ucp_h.UCP_OP_ATTR_FIELD_MEMH();

    // Without immediate completion. Otherwise UCX frees the request of an atomic that fetches nothing, although it is
    // not UCX's; and only the request tells the number that another one fetched.
    private static final int POST = ucp_h.UCP_OP_ATTR_FLAG_NO_IMM_CMPL();
    private static final int FETCH = POST | ucp_h.UCP_OP_ATTR_FIELD_REPLY_BUFFER();

    private final WorkerCore parent;
    private final UcpContext context;
    private final Operations operations;
    private final PolledOperations polled;
    private final AsyncRequests async;
    private final PendingOperations pending;
    private final WorkerProgress progress;

    RemoteOperations(
            WorkerCore parent,
            Operations operations,
            PolledOperations polled,
            AsyncRequests async,
            PendingOperations pending,
            WorkerProgress progress) {
        this.parent = parent;
        this.context = parent.context();
        this.operations = operations;
        this.polled = polled;
        this.async = async;
        this.pending = pending;
        this.progress = progress;
    }

    Operations operations() {
        return operations;
    }

    AsyncRequests async() {
        return async;
    }

    /** Waits for the operations on memory that is being closed, if the caller may wait. */
    void drain(UcpRemoteMemory memory) {
        long deadline = parent.closeDeadline();
        boolean inTime = progress.mayWait();
        while (memory.outstanding() > 0 && inTime && pending.count(memory.endpoint()) > 0) {
            inTime = progress.progressUntil(deadline);
        }
    }

    /** {@code ucp_put_nbx}. */
    @HotPath
    static long put(UcpRemoteMemory to, long remote, MemorySegment from, long offset, long length, boolean implicit) {
        if (length <= 0) { // as for the range at the peer, for the JIT: docs/instructions.md
            long ignored = BufferChecks.readable(from, offset, length);
            return 0;
        }
        long local = BufferChecks.readable(from, offset, length);
        long parameters = to.slots().next();
        ArenaUse use = to.slots().hold(from);
        long result = UcpRma.put(to.endpointHandle(), local, length, remote, to.handle(), parameters);
        return result == 0
                ? to.slots().completedAtOnce(from, use)
                : track(result, RequestSlot.PUT, to, from, length, use, implicit);
    }

    /** {@code ucp_get_nbx}. */
    @HotPath
    static long get(UcpRemoteMemory from, long remote, MemorySegment to, long offset, long length, boolean implicit) {
        if (length <= 0) { // as for the range at the peer, for the JIT: docs/instructions.md
            long ignored = BufferChecks.writable(to, offset, length);
            return 0;
        }
        long local = BufferChecks.writable(to, offset, length);
        long parameters = from.slots().next();
        ArenaUse use = from.slots().hold(to);
        long result = UcpRma.get(from.endpointHandle(), local, length, remote, from.handle(), parameters);
        return result == 0
                ? from.slots().completedAtOnce(to, use)
                : track(result, RequestSlot.GET, from, to, length, use, implicit);
    }

    /** {@code ucp_put_nbx} from memory that is registered already. */
    @HotPath
    long put(UcpRemoteMemory to, long remote, UcpMemory from, long offset, long length, boolean implicit) {
        long local = BufferChecks.readable(from.buffer(), offset, length);
        return transfer(RequestSlot.PUT, to, remote, from, local, length, implicit);
    }

    /** {@code ucp_get_nbx} into memory that is registered already. */
    @HotPath
    long get(UcpRemoteMemory from, long remote, UcpMemory to, long offset, long length, boolean implicit) {
        long local = BufferChecks.writable(to.buffer(), offset, length);
        return transfer(RequestSlot.GET, from, remote, to, local, length, implicit);
    }

    @HotPath
    private long transfer(
            byte kind, UcpRemoteMemory with, long remote, UcpMemory memory, long local, long length, boolean implicit) {
        RequestSlot slot = operations.nextSlot();
        long handle = memory.acquire(context); // refuses memory that is closed, or of another context
        boolean begun = false;
        try {
            if (length == 0) {
                return 0;
            }
            long parameters = slot.parameters(TRANSFER, BYTES_1, 0, 0);
            slot.memoryParameter(handle);
            long result = transfer(kind, with, remote, local, length, parameters);
            if (result == 0) {
                return operations.completedAtOnce(memory.buffer(), null);
            }
            long request = track(result, kind, with, memory.buffer(), length, null, implicit);
            slot.memory = memory;
            begun = true;
            return request;
        } finally {
            if (!begun) {
                memory.release();
            }
        }
    }

    /** {@code ucp_put_nbx} with options. */
    @HotPath
    long put(UcpRemoteMemory to, long remote, UcpBuffer from) {
        return transfer(RequestSlot.PUT, to, remote, from);
    }

    /** {@code ucp_get_nbx} with options. */
    @HotPath
    long get(UcpRemoteMemory from, long remote, UcpBuffer to) {
        return transfer(RequestSlot.GET, from, remote, to);
    }

    @HotPath
    private long transfer(byte kind, UcpRemoteMemory with, long remote, UcpBuffer buffer) {
        buffer.checkOf(parent);
        long local = buffer.address(kind == RequestSlot.GET);
        long length = buffer.byteSize();
        if (length == 0) {
            return 0;
        }
        RequestSlot slot = operations.nextSlot();
        long parameters = buffer.begin(slot, false, 0, 0, 0); // a get has the callback of a send
        long result = transfer(kind, with, remote, local, length, parameters);
        if (result != 0 && !UcxFailure.isError(result)) {
            slot.remote = with;
            with.addOutstanding();
        }
        return operations.trackPayload(result, slot, kind, with.endpoint(), buffer);
    }

    @HotPath
    private static long transfer(
            byte kind, UcpRemoteMemory with, long remote, long local, long length, long parameters) {
        return kind == RequestSlot.PUT
                ? UcpRma.put(with.endpointHandle(), local, length, remote, with.handle(), parameters)
                : UcpRma.get(with.endpointHandle(), local, length, remote, with.handle(), parameters);
    }

    /** {@code ucp_atomic_op_nbx} on 64 bits. The swapped number of a compare-and-swap is the second operand. */
    @HotPath
    long atomic64(
            UcpRemoteMemory on, long remote, int operation, long operand, long second, byte kind, boolean implicit) {
        long result = atomic(with64(operand, second), on, remote, operation, BYTES_8, kind, false);
        return track(result, kind, on, null, 0, null, implicit);
    }

    /** {@code ucp_atomic_op_nbx} on 64 bits, with user data. */
    @HotPath
    long atomic64(UcpRemoteMemory on, long remote, int operation, long operand, long second, byte kind, long userData) {
        polled.reserve();
        long result = atomic(with64(operand, second), on, remote, operation, BYTES_8, kind, true);
        return polled.track(record(result, kind, on, null, 0, null), userData);
    }

    @HotPath
    private RequestSlot with64(long operand, long second) {
        RequestSlot slot = operations.nextSlot();
        NativeMemory.setLong(slot.operand(), operand);
        NativeMemory.setLong(slot.reply(), second);
        return slot;
    }

    /** {@code ucp_atomic_op_nbx} on 32 bits. */
    @HotPath
    long atomic32(
            UcpRemoteMemory on, long remote, int operation, int operand, int second, byte kind, boolean implicit) {
        long result = atomic(with32(operand, second), on, remote, operation, BYTES_4, kind, false);
        return track(result, kind, on, null, 0, null, implicit);
    }

    /** {@code ucp_atomic_op_nbx} on 32 bits, with user data. */
    @HotPath
    long atomic32(UcpRemoteMemory on, long remote, int operation, int operand, int second, byte kind, long userData) {
        polled.reserve();
        long result = atomic(with32(operand, second), on, remote, operation, BYTES_4, kind, true);
        return polled.track(record(result, kind, on, null, 0, null), userData);
    }

    @HotPath
    private RequestSlot with32(int operand, int second) {
        RequestSlot slot = operations.nextSlot();
        NativeMemory.setInt(slot.operand(), operand);
        NativeMemory.setInt(slot.reply(), second);
        return slot;
    }

    @HotPath
    private long atomic(
            RequestSlot slot,
            UcpRemoteMemory on,
            long remote,
            int operation,
            long type,
            byte kind,
            boolean withUserData) {
        slot.clear();
        long parameters = slot.parameters(kind == RequestSlot.ATOMIC ? POST : FETCH, type, 0, 0);
        if (withUserData) {
            polled.prepare(slot, false);
        }
        long result = UcpRma.atomic(on.endpointHandle(), operation, slot.operand(), remote, on.handle(), parameters);
        if (result == 0) {
            throw new AssertionError("ucp_atomic_op_nbx was done without a request");
        }
        return result;
    }

    @HotPath
    private static long track(
            long result,
            byte kind,
            UcpRemoteMemory remote,
            MemorySegment buffer,
            long bytes,
            ArenaUse use,
            boolean implicit) {
        RequestSlot slot = record(result, kind, remote, buffer, bytes, use);
        if (implicit) {
            remote.slots().trackImplicit(slot);
            return 0;
        }
        return remote.slots().take(slot);
    }

    @HotPath
    private static RequestSlot record(
            long result, byte kind, UcpRemoteMemory remote, MemorySegment buffer, long bytes, ArenaUse use) {
        RequestSlot slot = remote.slots().recordBuffer(result, kind, remote.endpoint(), buffer, bytes, use);
        slot.remote = remote;
        remote.addOutstanding();
        return slot;
    }
}
