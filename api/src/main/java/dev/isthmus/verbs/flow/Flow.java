// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.flow;

import dev.isthmus.internal.Errno;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.Natives;
import dev.isthmus.internal.OwnerThread;
import dev.isthmus.internal.verbs.ContextFunction;
import dev.isthmus.internal.verbs.ContextOps;
import dev.isthmus.internal.verbs.VerbsCall;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.QueuePair;
import java.lang.foreign.MemorySegment;
import java.util.stream.Stream;

/**
 * A {@link FlowRule} in force: {@code struct ibv_flow}. Until it is closed, packets go to its queue pair. Any thread
 * may use it.
 *
 * <p>The program that creates it owns it, and closes it before its queue pair, and before the actions and counters of
 * its rule.
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

    /**
     * Directs packets that match a rule to a queue pair: {@code ibv_create_flow}. Only UD and RAW_PACKET queue pairs
     * can receive them, and the process needs CAP_NET_RAW. Blocks for a system call.
     *
     * @param queuePair the queue pair; call this on its thread
     * @param rule the rule
     * @return the rule in force, which the caller closes before the queue pair
     * @throws IllegalArgumentException if the queue pair is of type XRC_RECV
     * @throws WrongThreadException if the queue pair belongs to another thread
     * @throws IllegalStateException if the queue pair, or an action or counters of the rule, are closed
     * @throws dev.isthmus.VerbsException if the call fails, with EOPNOTSUPP if the device does not steer flows
     */
    public static Flow create(QueuePair queuePair, FlowRule rule) {
        Natives.part(queuePair, OwnerThread.class).check();
        if (queuePair.protectionDomain() == null) {
            throw new IllegalArgumentException(queuePair + " takes no flows: only UD and RAW_PACKET do");
        }
        DeviceContext context = queuePair.protectionDomain().context();
        String what = queuePair + ", " + rule;
        Lifetime[] parents = Stream.concat(Stream.of(Natives.lifetime(queuePair)), rule.parents())
                .toArray(Lifetime[]::new);
        var lifetime = new Lifetime("Flow", what, parents);
        return lifetime.open(() -> {
            try (var call = new VerbsCall().explain(errno -> help(context, errno))) {
                var function = ops(context).require(ContextFunction.CREATE_FLOW);
                MemorySegment handle = call.create(function, what, Natives.handle(queuePair), rule.write(call));
                return Lifetime.orDestroy(
                        () -> new Flow(context, lifetime, handle), () -> destroy(context, handle, what));
            }
        });
    }

    private static void destroy(DeviceContext context, MemorySegment handle, String name) {
        VerbsCall.destroy(ops(context).require(ContextFunction.DESTROY_FLOW), handle, name);
    }

    private static ContextOps ops(DeviceContext context) {
        return Natives.part(context, ContextOps.class);
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

    /** Its device. */
    DeviceContext context() {
        return context;
    }

    /**
     * Ends the rule: {@code ibv_destroy_flow}. Does nothing if it is closed already.
     *
     * @throws dev.isthmus.VerbsException if the call fails; you can try again
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
