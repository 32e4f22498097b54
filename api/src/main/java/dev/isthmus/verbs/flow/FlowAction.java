// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.flow;

import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.Natives;
import dev.isthmus.internal.verbs.ContextFunction;
import dev.isthmus.internal.verbs.ContextOps;
import dev.isthmus.internal.verbs.VerbsCall;
import dev.isthmus.verbs.DeviceContext;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * What a flow rule does to packets, for {@link FlowSpec#action}: {@code struct ibv_flow_action}. The only kind in verbs
 * encrypts or decrypts IPsec's ESP. Any thread may use it.
 *
 * <p>The program that creates it owns it. It cannot be closed while flows use it.
 */
public final class FlowAction implements AutoCloseable {

    private final DeviceContext context;
    private final Lifetime lifetime;
    private final MemorySegment handle;

    private FlowAction(DeviceContext context, Lifetime lifetime, MemorySegment handle) {
        this.context = context;
        this.lifetime = lifetime;
        this.handle = handle;
    }

    /**
     * Creates an action that encrypts or decrypts the packets of flows: {@code ibv_create_flow_action_esp}.
     *
     * @param context the device
     * @param configure sets how
     * @return the action, which the caller closes before the device
     * @throws dev.isthmus.VerbsException if the call fails, with EOPNOTSUPP if the device cannot do it
     * @throws IllegalStateException if the device is closed
     */
    public static FlowAction createEsp(DeviceContext context, Consumer<EspConfig> configure) {
        var config = new EspConfig();
        config.filling.by(configure, config);
        String name = context.device().name() + ", ESP";
        var lifetime = new Lifetime("FlowAction", name, Natives.lifetime(context));
        return lifetime.open(() -> {
            try (var call = new VerbsCall()) {
                var function = Natives.part(context, ContextOps.class).require(ContextFunction.CREATE_FLOW_ACTION_ESP);
                MemorySegment handle =
                        call.create(function, name + ", " + config, Natives.handle(context), config.write(call));
                return Lifetime.orDestroy(
                        () -> new FlowAction(context, lifetime, handle), () -> destroy(context, handle, name));
            }
        });
    }

    private static void destroy(DeviceContext context, MemorySegment handle, String name) {
        VerbsCall.destroy(
                Natives.part(context, ContextOps.class).require(ContextFunction.DESTROY_FLOW_ACTION), handle, name);
    }

    /**
     * Changes the action in all flows that use it: {@code ibv_modify_flow_action_esp}. Blocks for a system call.
     *
     * @param configure sets what changes
     * @throws dev.isthmus.VerbsException if the call fails, for example because the device cannot change that
     * @throws IllegalStateException if this is closed
     */
    public void modifyEsp(Consumer<EspConfig> configure) {
        var config = new EspConfig();
        config.filling.by(configure, config);
        try (var call = new VerbsCall(lifetime)) {
            var function = Natives.part(context, ContextOps.class).require(ContextFunction.MODIFY_FLOW_ACTION_ESP);
            call.check(function, lifetime.name() + ", " + config, handle, config.write(call));
        }
    }

    MemorySegment handle() {
        return handle;
    }

    Lifetime lifetime() {
        return lifetime;
    }

    /**
     * Destroys the action: {@code ibv_destroy_flow_action}. Does nothing if it is closed already.
     *
     * @throws IllegalStateException if flows use it
     * @throws dev.isthmus.VerbsException if the call fails; you can try again
     */
    @Override
    public void close() {
        lifetime.close(() -> destroy(context, handle, lifetime.name()));
    }

    /** The class, the device's name, and the kind. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
