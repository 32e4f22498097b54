package dev.isthmus.verbs;

import dev.isthmus.bindings.ibverbs.ibv_mr;
import dev.isthmus.internal.Codes;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.verbs.Libibverbs;
import dev.isthmus.internal.verbs.VerbsCall;
import dev.isthmus.internal.verbs.VerbsErrors;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Memory that a device may reach: {@code struct ibv_mr}. Any thread may use it.
 *
 * <p>Owned by who registered it. It knows its segment, and requests that use it are checked against it; it does not
 * own the memory.
 *
 * <p>Close what uses it in this order: the queue pairs, or at least all that they have outstanding; then the region; then
 * the arena. A device writes to memory until then, and some drivers copy short messages to it when they are polled:
 * memory that was freed before, and used for something else, would be overwritten.
 */
public final class MemoryRegion implements AutoCloseable {

    /**
     * The regions that are open. It keeps the memory of an automatic arena from being freed while a device can still
     * write to it.
     */
    private static final Set<MemoryRegion> OPEN = ConcurrentHashMap.newKeySet();

    private final Lifetime lifetime;
    private final MemorySegment handle;
    private final MemorySegment segment;
    private final MemorySegment.Scope scope;
    private final Set<AccessFlag> access;
    private final boolean writable;
    private final long address;
    private final long length;
    private final int lkey;
    private final int rkey;
    private boolean open = true; // read without a lock: a stale read posts a dead lkey, which the device refuses

    private MemoryRegion(Lifetime lifetime, MemorySegment handle, MemorySegment segment, Set<AccessFlag> access) {
        MemorySegment mr = NativeCall.sized(handle, ibv_mr.sizeof());
        this.lifetime = lifetime;
        this.handle = handle;
        this.segment = segment;
        this.scope = segment.scope();
        this.access = access;
        this.writable = access.contains(AccessFlag.LOCAL_WRITE);
        this.address = segment.address();
        this.length = segment.byteSize();
        this.lkey = ibv_mr.lkey(mr);
        this.rkey = ibv_mr.rkey(mr);
    }

    static MemoryRegion register(ProtectionDomain pd, MemorySegment segment, AccessFlag... flags) {
        Set<AccessFlag> access = EnumSet.noneOf(AccessFlag.class);
        access.addAll(List.of(flags));
        checkMemory(segment, access);
        String device = pd.context().device().name();
        var lifetime = new Lifetime("MemoryRegion", device + ", " + segment.byteSize() + " bytes", pd.lifetime());
        MemorySegment handle = lifetime.open(() -> {
            long bytes = segment.byteSize();
            try (var call = new VerbsCall().explain(errno -> VerbsErrors.registrationHelp(bytes, errno))) {
                int mask = Codes.mask(access, AccessFlag::code);
                String what = device + ", " + bytes + " bytes, " + access;
                return call.create(Libibverbs.REG_MR, what, pd.handle(), segment, bytes, mask);
            }
        });
        var region = new MemoryRegion(lifetime, handle, segment, access);
        OPEN.add(region);
        return region;
    }

    private static void checkMemory(MemorySegment segment, Set<AccessFlag> access) {
        if (!segment.isNative()) {
            throw new IllegalArgumentException("a heap segment cannot be registered, as the garbage collector moves"
                    + " it: allocate the memory from an Arena");
        }
        if (segment.byteSize() == 0) {
            throw new IllegalArgumentException("an empty segment cannot be registered");
        }
        if (!segment.scope().isAlive()) {
            throw new IllegalStateException("the arena of the segment is closed");
        }
        if (!segment.isAccessibleBy(Thread.currentThread())) {
            throw new WrongThreadException(
                    "the segment belongs to another thread's confined arena: allocate it from" + " Arena.ofShared()");
        }
        boolean remoteWrites = access.contains(AccessFlag.REMOTE_WRITE) || access.contains(AccessFlag.REMOTE_ATOMIC);
        if (remoteWrites && !access.contains(AccessFlag.LOCAL_WRITE)) {
            throw new IllegalArgumentException(
                    "REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE too: see ibv_reg_mr(3)");
        }
        if (segment.isReadOnly() && access.contains(AccessFlag.LOCAL_WRITE)) {
            throw new IllegalArgumentException("a read-only segment cannot be registered with LOCAL_WRITE");
        }
    }

    /**
     * The memory that was registered.
     *
     * @return the segment
     */
    public MemorySegment segment() {
        return segment;
    }

    /**
     * Where the region begins, as the peer of an RDMA READ or WRITE needs it.
     *
     * @return the address
     */
    public long address() {
        return address;
    }

    /**
     * How long the region is.
     *
     * @return bytes
     */
    public long length() {
        return length;
    }

    /**
     * The key that local requests name the region by.
     *
     * @return the lkey
     */
    public int lkey() {
        return lkey;
    }

    /**
     * The key that the peer of an RDMA READ or WRITE names the region by.
     *
     * @return the rkey
     */
    public int rkey() {
        return rkey;
    }

    /**
     * What may be done to the region.
     *
     * @return the flags it was registered with
     */
    public Set<AccessFlag> access() {
        return Set.copyOf(access);
    }

    @HotPath
    boolean isWritable() {
        return writable;
    }

    /** Checks that requests may still use the region. */
    @HotPath
    void checkUsable() {
        if (!open || !scope.isAlive()) {
            throw unusable();
        }
    }

    private IllegalStateException unusable() {
        return new IllegalStateException(
                open ? "the arena of " + this + " is closed: its memory is gone" : this + " is closed");
    }

    /**
     * Deregisters the memory: {@code ibv_dereg_mr}. Requests that use it must have completed, or the device fails
     * them. Does nothing when it is closed already.
     *
     * @throws dev.isthmus.VerbsException if the call fails; it can be tried again
     */
    @Override
    public void close() {
        lifetime.close(() -> {
            open = false; // before the call: no request may name it from here on
            boolean deregistered = false;
            try {
                VerbsCall.destroy(Libibverbs.DEREG_MR, handle, lifetime.name());
                deregistered = true;
            } finally {
                open = !deregistered;
            }
            OPEN.remove(this);
        });
    }

    /** The class, the device's name, and the length. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
