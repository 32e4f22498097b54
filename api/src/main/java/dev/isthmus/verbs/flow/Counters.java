// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.flow;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.bindings.ibverbs.ibv_counter_attach_attr;
import dev.isthmus.bindings.ibverbs.ibv_counters_init_attr;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.Natives;
import dev.isthmus.internal.verbs.ContextFunction;
import dev.isthmus.internal.verbs.ContextOps;
import dev.isthmus.internal.verbs.VerbsCall;
import dev.isthmus.verbs.DeviceContext;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.Objects;

/**
 * Counters of the packets that match flow rules: {@code struct ibv_counters}. {@link #attach} sets what each counts,
 * before you create a flow with {@link FlowSpec#count}. Any thread may use it.
 *
 * <p>The program that creates it owns it. It cannot be closed while flows use it.
 */
public final class Counters implements AutoCloseable {

    /** What a counter counts: {@code enum ibv_counter_description}. */
    public enum Kind {
        /** Packets. {@code IBV_COUNTER_PACKETS}. */
        PACKETS(0),
        /** Bytes. {@code IBV_COUNTER_BYTES}. */
        BYTES(1);

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        /**
         * The value of the C constant.
         *
         * @return its code
         */
        public int code() {
            return code;
        }
    }

    /** {@code IBV_READ_COUNTERS_ATTR_PREFER_CACHED}. */
    private static final int PREFER_CACHED = 1;

    /** More than any device has; the driver keeps memory for all indexes up to the highest. */
    private static final int MAX_COUNTERS = 1 << 10;

    private final DeviceContext context;
    private final Lifetime lifetime;
    private final MemorySegment handle;

    private Counters(DeviceContext context, Lifetime lifetime, MemorySegment handle) {
        this.context = context;
        this.lifetime = lifetime;
        this.handle = handle;
    }

    /**
     * Creates counters for flows: {@code ibv_create_counters}.
     *
     * @param context the device
     * @return the counters, which the caller closes before the device
     * @throws dev.isthmus.VerbsException if the call fails, with EOPNOTSUPP if the device has none
     * @throws IllegalStateException if the device is closed
     */
    public static Counters create(DeviceContext context) {
        String name = context.device().name();
        var lifetime = new Lifetime("Counters", name, Natives.lifetime(context));
        return lifetime.open(() -> {
            try (var call = new VerbsCall()) {
                MemorySegment init = call.allocate(ibv_counters_init_attr.layout());
                var function = Natives.part(context, ContextOps.class).require(ContextFunction.CREATE_COUNTERS);
                MemorySegment handle = call.create(function, name, Natives.handle(context), init);
                return Lifetime.orDestroy(
                        () -> new Counters(context, lifetime, handle), () -> destroy(context, handle, name));
            }
        });
    }

    private static void destroy(DeviceContext context, MemorySegment handle, String name) {
        VerbsCall.destroy(
                Natives.part(context, ContextOps.class).require(ContextFunction.DESTROY_COUNTERS), handle, name);
    }

    /**
     * Counts flows that are created later: {@code ibv_attach_counters_point_flow} without a flow.
     *
     * @param kind what to count
     * @param index where {@link #read} returns it; values with the same index are added up
     * @throws IndexOutOfBoundsException if the index is not from 0 to 1023
     * @throws dev.isthmus.VerbsException if the call fails, with EBUSY if a flow has the counters already
     * @throws IllegalStateException if this is closed
     */
    public void attach(Kind kind, int index) {
        try (var call = new VerbsCall(lifetime)) {
            attach(call, kind, index, MemorySegment.NULL, "");
        }
    }

    /**
     * Counts an existing flow: {@code ibv_attach_counters_point_flow}.
     *
     * @param kind what to count
     * @param index where {@link #read} returns it; values with the same index are added up
     * @param flow the flow, of the same open device
     * @throws IndexOutOfBoundsException if the index is not from 0 to 1023
     * @throws IllegalArgumentException if the flow is of another device
     * @throws dev.isthmus.VerbsException if the call fails
     * @throws IllegalStateException if this or the flow is closed
     */
    public void attach(Kind kind, int index, Flow flow) {
        if (flow.context() != context) {
            throw new IllegalArgumentException(flow + " and " + this + " must be of the same open device");
        }
        try (var open = new VerbsCall(flow.lifetime())) {
            attach(open, kind, index, flow.handle(), ", " + flow);
        }
    }

    private void attach(SegmentAllocator memory, Kind kind, int index, MemorySegment flow, String to) {
        Objects.checkIndex(index, MAX_COUNTERS);
        String what = lifetime.name() + ", " + kind + " at " + index + to;
        MemorySegment attributes = memory.allocate(ibv_counter_attach_attr.layout());
        ibv_counter_attach_attr.counter_desc(attributes, kind.code());
        ibv_counter_attach_attr.index(attributes, index);
        try (var call = new VerbsCall(lifetime).explain(Counters::help)) {
            var function = Natives.part(context, ContextOps.class).require(ContextFunction.ATTACH_COUNTERS_POINT_FLOW);
            call.check(function, what, handle, attributes, flow);
        }
    }

    private static String help(int errno) {
        return errno == Errno.EBUSY ? "a flow has the counters already: say what they count before creating it" : "";
    }

    /**
     * Reads counters: {@code ibv_read_counters}. Blocks for a system call.
     *
     * @param count how many, from index 0 on; at least as many as are attached
     * @param cached whether a value that the driver read earlier is good enough
     * @return the values, unsigned
     * @throws IllegalArgumentException if {@code count} is not from 1 to 1024
     * @throws dev.isthmus.VerbsException if the call fails, for example because no flow has the counters
     * @throws IllegalStateException if this is closed
     */
    public long[] read(int count, boolean cached) {
        if (count < 1 || count > MAX_COUNTERS) {
            throw new IllegalArgumentException("count is not from 1 to " + MAX_COUNTERS + ": " + count);
        }
        try (var call = new VerbsCall(lifetime)) {
            MemorySegment values = call.allocate(JAVA_LONG, count);
            var function = Natives.part(context, ContextOps.class).require(ContextFunction.READ_COUNTERS);
            call.check(function, lifetime.name() + ", " + count, handle, values, count, cached ? PREFER_CACHED : 0);
            return values.toArray(JAVA_LONG);
        }
    }

    MemorySegment handle() {
        return handle;
    }

    Lifetime lifetime() {
        return lifetime;
    }

    /**
     * Destroys the counters: {@code ibv_destroy_counters}. Does nothing if they are closed already.
     *
     * @throws IllegalStateException if flows use them
     * @throws dev.isthmus.VerbsException if the call fails; you can try again
     */
    @Override
    public void close() {
        lifetime.close(() -> destroy(context, handle, lifetime.name()));
    }

    /** The class and the device's name. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
