// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.bindings.ucx.ucp_generic_dt_ops;
import dev.isthmus.internal.ucx.Libucp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;

/**
 * The one generic datatype of a worker ({@code ucp_datatype_t}), which all of its {@link UcpPackedData} share. C
 * identifies an operation on such data by a number, its state, which it gets at the start and returns at the end. C
 * starts inside the call that begins the operation.
 */
final class GenericDatatype {

    private static final byte OK = 0;

    /** One operation; it is null for a query of the length. */
    private record State(UcpPackedData data, RequestSlot operation) {}

    private final WorkerCore worker;
    private final WorkerCallbacks callbacks;
    private final ArrayList<State> states = new ArrayList<>();
    private final ArrayDeque<Integer> free = new ArrayDeque<>();
    private long handle; // 0 until it is used
    private State beginning; // until C asks to start

    GenericDatatype(WorkerCore worker, WorkerCallbacks callbacks) {
        this.worker = worker;
        this.callbacks = callbacks;
    }

    /** C's datatype, which is created on first use. */
    long handle() {
        worker.owner().check();
        if (handle == 0) {
            handle = create(worker.arena());
        }
        return handle;
    }

    private long create(Arena arena) {
        try (var call = new UcpCall()) {
            MemorySegment ops = ucp_generic_dt_ops.allocate(call);
            ucp_generic_dt_ops.start_pack(ops, ucp_generic_dt_ops.start_pack.allocate(this::start, arena));
            ucp_generic_dt_ops.start_unpack(ops, ucp_generic_dt_ops.start_unpack.allocate(this::start, arena));
            ucp_generic_dt_ops.packed_size(ops, ucp_generic_dt_ops.packed_size.allocate(this::packedSize, arena));
            ucp_generic_dt_ops.pack(ops, ucp_generic_dt_ops.pack.allocate(this::pack, arena));
            ucp_generic_dt_ops.unpack(ops, ucp_generic_dt_ops.unpack.allocate(this::unpack, arena));
            ucp_generic_dt_ops.finish(ops, ucp_generic_dt_ops.finish.allocate(this::finish, arena));
            return call.create(Libucp.DT_CREATE_GENERIC, "a generic datatype", ops, MemorySegment.NULL);
        }
    }

    /** C is about to get the data, and will start. */
    void begin(UcpPackedData data, RequestSlot operation) {
        if (operation != null) {
            operation.packingFailed = false;
        }
        beginning = new State(data, operation);
    }

    /** Destroys it, after the worker, when no operation is left. */
    void destroy() {
        if (handle != 0) {
            UcpCall.run(Libucp.DT_DESTROY, handle);
        }
    }

    // Called by C, like the following methods: an exception that left one of them would end the JVM.

    private MemorySegment start(MemorySegment context, MemorySegment buffer, long count) {
        try {
            Integer place = free.poll();
            if (place == null) {
                states.add(beginning);
                return MemorySegment.ofAddress(states.size());
            }
            states.set(place, beginning);
            return MemorySegment.ofAddress(place + 1L);
        } catch (Throwable t) {
            callbacks.addFailure(t);
            return MemorySegment.NULL;
        }
    }

    private long packedSize(MemorySegment state) {
        State known = known(state);
        return known == null ? 0 : known.data.byteSize();
    }

    private long pack(MemorySegment state, long offset, MemorySegment target, long most) {
        State known = known(state);
        UcpPackedData data = known == null ? null : known.data;
        if (data == null || offset >= data.byteSize()) {
            return 0;
        }
        long rest = data.byteSize() - offset;
        long length = most < 0 ? rest : Math.min(most, rest); // newer versions say SIZE_MAX for all of it
        long sealed = callbacks.enterPacking();
        try (Arena call = Arena.ofConfined()) {
            MemorySegment part = sized(target, length, call);
            try {
                data.pack(offset, part);
            } catch (Throwable t) {
                part.fill((byte) 0);
                fail(known, t);
            }
        } catch (Throwable t) {
            fail(known, t);
        } finally {
            callbacks.leavePacking(sealed);
        }
        return length;
    }

    // Always OK: where UCX does not expect another status, it would end the process.
    private byte unpack(MemorySegment state, long offset, MemorySegment source, long length) {
        State known = known(state);
        if (length == 0) {
            return OK; // an empty message
        }
        callbacks.enter();
        try (Arena call = Arena.ofConfined()) {
            known.data.unpack(offset, sized(source, length, call).asReadOnly());
        } catch (Throwable t) {
            fail(known, t);
        } finally {
            callbacks.leave();
        }
        return OK;
    }

    private void finish(MemorySegment state) {
        int place = (int) state.address() - 1;
        if (known(state) != null) {
            states.set(place, null);
            free.push(place);
        }
    }

    private State known(MemorySegment state) {
        long place = state.address() - 1;
        return place >= 0 && place < states.size() ? states.get((int) place) : null;
    }

    private void fail(State known, Throwable t) {
        if (known != null && known.operation != null) {
            known.operation.packingFailed = true;
        }
        callbacks.addFailure(t);
    }

    @SuppressWarnings("restricted")
    private static MemorySegment sized(MemorySegment pointer, long length, Arena arena) {
        return MemorySegment.ofAddress(pointer.address()).reinterpret(length, arena, null);
    }
}
