package dev.isthmus.verbs;

import dev.isthmus.internal.Errno;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.verbs.ContextFunction;
import dev.isthmus.internal.verbs.VerbsCall;
import java.lang.foreign.MemorySegment;
import java.util.stream.Stream;

/**
 * A {@link FlowRule} in force: {@code struct ibv_flow}. Packets go to its queue pair until it is closed. Any thread may
 * use it.
 *
 * <p>Owned by who created it, and closed before its queue pair, and before the actions and counters of its rule.
 */
public final class Flow implements AutoCloseable {

    /** {@code IBV_DEVICE_MANAGED_FLOW_STEERING}. */
    private static final int MANAGED_FLOW_STEERING = 1 << 29;

    private final DeviceContext context;
    private final Lifetime lifetime;
    private final MemorySegment handle;

    private Flow(DeviceContext context, Lifetime lifetime, MemorySegment handle) {
        this.context = context;
        this.lifetime = lifetime;
        this.handle = handle;
    }

    static Flow create(
            DeviceContext context, QueuePair qp, MemorySegment qpHandle, Lifetime qpLifetime, FlowRule rule) {
        String what = qp + ", " + rule;
        Lifetime[] parents =
                Stream.concat(Stream.of(qpLifetime), rule.parents()).toArray(Lifetime[]::new);
        var lifetime = new Lifetime("Flow", what, parents);
        return lifetime.open(() -> {
            try (var call = new VerbsCall().explain(errno -> help(context, errno))) {
                var function = context.ops().require(ContextFunction.CREATE_FLOW);
                MemorySegment handle = call.create(function, what, qpHandle, rule.write(call));
                return Lifetime.orDestroy(
                        () -> new Flow(context, lifetime, handle), () -> destroy(context, handle, what));
            }
        });
    }

    private static void destroy(DeviceContext context, MemorySegment handle, String name) {
        VerbsCall.destroy(context.ops().require(ContextFunction.DESTROY_FLOW), handle, name);
    }

    private static String help(DeviceContext context, int errno) {
        boolean steers = (context.attributes().deviceCapFlags() & MANAGED_FLOW_STEERING) != 0;
        return switch (errno) {
            case Errno.EPERM, Errno.EACCES -> "this needs CAP_NET_RAW";
            case Errno.EINVAL ->
                steers
                        ? "the queue pair must be UD or RAW_PACKET, the port one of the device, and each layer, mask and"
                                + " action one that the device knows"
                        : "the device does not steer flows";
            default -> "";
        };
    }

    Lifetime lifetime() {
        return lifetime;
    }

    MemorySegment handle() {
        return handle;
    }

    /** The device that it is of. */
    DeviceContext context() {
        return context;
    }

    /**
     * Ends the rule: {@code ibv_destroy_flow}. Does nothing when it is closed already.
     *
     * @throws dev.isthmus.VerbsException if the call fails; it can be tried again
     */
    @Override
    public void close() {
        lifetime.close(() -> destroy(context, handle, lifetime.name()));
    }

    /** The class, the queue pair and the rule. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
