// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.bindings.ibverbs.ibv_parent_domain_init_attr;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.verbs.ContextFunction;
import dev.isthmus.internal.verbs.VerbsCall;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * A protection domain together with a thread domain and an allocator: {@code ibv_alloc_parent_domain}. As in C it is a
 * protection domain, and you can use it wherever you can use one. Objects in it can access the regions of the domain
 * that it was created from, and the other way round.
 *
 * <p>The program that allocates it owns it, and closes it before the domains that it was created from.
 */
public final class ParentDomain extends ProtectionDomain {

    private final AllocatorStubs stubs; // null without an allocator

    private ParentDomain(ProtectionDomain base, Lifetime lifetime, MemorySegment handle, AllocatorStubs stubs) {
        super(base.context(), lifetime, handle, false, base);
        this.stubs = stubs;
    }

    static ParentDomain allocate(ProtectionDomain pd, ThreadDomain threadDomain, DomainAllocator allocator) {
        DeviceContext context = pd.context();
        if (pd instanceof ParentDomain) {
            throw new IllegalArgumentException(
                    pd + " is a parent domain itself: take the domain that it was made from");
        }
        if (threadDomain != null && threadDomain.context() != context) {
            throw new IllegalArgumentException(threadDomain + " and " + pd + " are not of the same open device");
        }
        String name = context.device().name();
        Lifetime[] parents = threadDomain == null
                ? new Lifetime[] {pd.lifetime()}
                : new Lifetime[] {pd.lifetime(), threadDomain.lifetime()};
        var lifetime = new Lifetime("ParentDomain", name, parents);
        return lifetime.open(() -> {
            AllocatorStubs stubs = allocator == null ? null : new AllocatorStubs(allocator);
            boolean made = false;
            try (var call = new VerbsCall()) {
                MemorySegment attributes = call.allocate(ibv_parent_domain_init_attr.layout());
                ibv_parent_domain_init_attr.pd(attributes, pd.handle());
                ibv_parent_domain_init_attr.td(
                        attributes, threadDomain == null ? MemorySegment.NULL : threadDomain.handle());
                if (stubs != null) {
                    stubs.write(attributes);
                }
                var function = context.ops().require(ContextFunction.ALLOC_PARENT_DOMAIN);
                MemorySegment handle = call.create(function, name, context.handle(), attributes);
                ParentDomain domain = Lifetime.orDestroy(
                        () -> new ParentDomain(pd, lifetime, handle, stubs), () -> destroy(handle, false, name));
                made = true;
                return domain;
            } finally {
                if (!made && stubs != null) {
                    stubs.close();
                }
            }
        });
    }

    /**
     * The first exception of the allocator since this was last called, for example the reason for an ENOMEM when an
     * object was created in this domain. It is not thrown, as the driver is in between.
     *
     * @return the exception, if there was one
     */
    public Optional<Throwable> allocatorFailure() {
        return stubs == null ? Optional.empty() : stubs.failure();
    }

    /**
     * Deallocates the domain: {@code ibv_dealloc_pd}. The domains that it was created from stay open. Does nothing if
     * it is closed already.
     *
     * @throws IllegalStateException if regions or queue pairs of it are open, or a call on it is running
     * @throws dev.isthmus.VerbsException if the call fails; you can try again
     */
    @Override
    public void close() {
        lifetime().close(() -> {
            destroy();
            if (stubs != null) {
                stubs.close();
            }
        });
    }
}
