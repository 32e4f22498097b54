// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.bindings.ibverbs.ibv_ah_attr;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.OwnerThread;
import dev.isthmus.internal.mlx5.Mlx5Library;
import dev.isthmus.internal.verbs.Libibverbs;
import dev.isthmus.internal.verbs.VerbsCall;
import java.lang.foreign.MemorySegment;

/**
 * An address handle, the path to a port for datagrams: {@code struct ibv_ah}.
 *
 * <p>It belongs to one thread at a time, at first the one that created it. That must be the thread of the queue pairs
 * that use it: see {@link #handOver}. The program that creates it owns it. It closes the handle after the sends that
 * use it have completed, and before its protection domain.
 */
public final class AddressHandle implements AutoCloseable {

    private final ProtectionDomain pd;
    private final Lifetime lifetime;
    private final OwnerThread owner;
    private final MemorySegment handle;
    private final long address;
    private long vector; // 0 until a direct queue pair needs it

    private AddressHandle(ProtectionDomain pd, Lifetime lifetime, MemorySegment handle) {
        this.pd = pd;
        this.lifetime = lifetime;
        this.owner = new OwnerThread(lifetime);
        this.handle = handle;
        this.address = handle.address();
    }

    static AddressHandle create(ProtectionDomain pd, AddressVector to) {
        var lifetime = lifetime(pd, to.toString());
        return lifetime.open(() -> {
            try (var call = new VerbsCall().explain(AddressHandle::help)) {
                MemorySegment attributes = call.allocate(ibv_ah_attr.layout());
                to.write(attributes);
                return made(pd, lifetime, call.create(Libibverbs.CREATE_AH, lifetime.name(), pd.handle(), attributes));
            }
        });
    }

    static AddressHandle create(
            ProtectionDomain pd, int port, WorkCompletions done, int index, GlobalRouteHeader header) {
        MemorySegment grh = done.headerOf(index, header);
        var lifetime = lifetime(pd, "port " + port + ", to a sender");
        return lifetime.open(() -> {
            try (var call = new VerbsCall().explain(AddressHandle::help)) {
                MemorySegment ah = call.create(
                        Libibverbs.CREATE_AH_FROM_WC,
                        lifetime.name(),
                        pd.handle(),
                        done.completion(index),
                        grh,
                        AddressVector.checkedPort(port));
                return made(pd, lifetime, ah);
            }
        });
    }

    private static AddressHandle made(ProtectionDomain pd, Lifetime lifetime, MemorySegment ah) {
        return Lifetime.orDestroy(() -> new AddressHandle(pd, lifetime, ah), () -> destroy(ah, lifetime.name()));
    }

    private static void destroy(MemorySegment handle, String name) {
        VerbsCall.destroy(Libibverbs.DESTROY_AH, handle, name);
    }

    private static Lifetime lifetime(ProtectionDomain pd, String to) {
        return new Lifetime("AddressHandle", pd.context().device().name() + ", " + to, pd.lifetime());
    }

    private static String help(int errno) {
        return switch (errno) {
            case Errno.EINVAL ->
                "there is no such port or GID index, or the GID is not one that the port can reach: RoCE needs one";
            case Errno.ENODATA, Errno.ENOENT, Errno.EFAULT -> "no entry at that GID index"; // EFAULT: libmlx5
            case 101, 110, 113 -> "no way to the GID from the local one"; // ENETUNREACH, ETIMEDOUT, EHOSTUNREACH
            default -> "";
        };
    }

    /** Checks that the caller may use it. */
    @HotPath
    void checkOwner() {
        owner.check();
    }

    /** Checks that a queue pair's requests in a domain may use it. */
    @HotPath
    void checkDomain(ProtectionDomain domain) {
        if (!pd.reaches(domain)) {
            throw new IllegalArgumentException(
                    this + " is of another protection domain than the queue pair: create one in that");
        }
    }

    /** The address of its {@code struct mlx5_wqe_av}, which direct queue pairs copy. */
    @HotPath
    long vector(Mlx5Library library) {
        if (vector == 0) {
            vector = library.addressVector(handle);
        }
        return vector;
    }

    @HotPath
    long address() {
        return address;
    }

    /**
     * Its protection domain.
     *
     * @return the domain
     */
    public ProtectionDomain protectionDomain() {
        return pd;
    }

    /**
     * Gives the handle to another thread: from now on only that one may use and close it. The caller must make this
     * visible to that thread like any other change, for example by starting the thread. If an owner has ended, the
     * handle belongs to the first thread that uses it.
     *
     * @param next the new owner
     * @throws NullPointerException if it is null
     * @throws WrongThreadException if this belongs to another thread than the caller
     * @throws IllegalStateException if this is closed
     */
    public void handOver(Thread next) {
        owner.handOver(next);
    }

    /**
     * Destroys the handle: {@code ibv_destroy_ah}. Sends that use it must have completed, or they may fail. Does
     * nothing if it is closed already.
     *
     * @throws WrongThreadException if this belongs to another thread
     * @throws dev.isthmus.VerbsException if the call fails; you can try again
     */
    @Override
    public void close() {
        owner.close(() -> destroy(handle, lifetime.name()));
    }

    /** The class, the device's name, and the path. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
