// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.bindings.ibverbs.ibv_td_init_attr;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.verbs.ContextFunction;
import dev.isthmus.internal.verbs.VerbsCall;
import java.lang.foreign.MemorySegment;

/**
 * A promise that one thread at a time uses the objects in it, so that the driver needs no locks: {@code struct ibv_td}.
 * Use it through a {@link ParentDomain}. Queue pairs and completion queues keep the promise anyway, as long as all
 * those of one thread domain belong to the same thread.
 *
 * <p>The program that allocates it owns it, and closes it after the parent domains that use it.
 */
public final class ThreadDomain implements AutoCloseable {

    private final DeviceContext context;
    private final Lifetime lifetime;
    private final MemorySegment handle;

    private ThreadDomain(DeviceContext context, Lifetime lifetime, MemorySegment handle) {
        this.context = context;
        this.lifetime = lifetime;
        this.handle = handle;
    }

    static ThreadDomain allocate(DeviceContext context) {
        String name = context.device().name();
        var lifetime = new Lifetime("ThreadDomain", name, context.lifetime());
        return lifetime.open(() -> {
            try (var call = new VerbsCall()) {
                MemorySegment attributes = call.allocate(ibv_td_init_attr.layout());
                var function = context.ops().require(ContextFunction.ALLOC_TD);
                MemorySegment handle = call.create(function, name, context.handle(), attributes);
                return Lifetime.orDestroy(
                        () -> new ThreadDomain(context, lifetime, handle), () -> destroy(context, handle, name));
            }
        });
    }

    private static void destroy(DeviceContext context, MemorySegment handle, String name) {
        VerbsCall.destroy(context.ops().require(ContextFunction.DEALLOC_TD), handle, name);
    }

    DeviceContext context() {
        return context;
    }

    MemorySegment handle() {
        return handle;
    }

    Lifetime lifetime() {
        return lifetime;
    }

    /**
     * Deallocates the domain: {@code ibv_dealloc_td}. Does nothing if it is closed already.
     *
     * @throws IllegalStateException if parent domains use it
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
