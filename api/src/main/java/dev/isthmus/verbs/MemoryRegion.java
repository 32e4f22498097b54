// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.bindings.ibverbs.ibv_mr;
import dev.isthmus.internal.ArenaGuard;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.Natives;
import dev.isthmus.internal.verbs.OutsideRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Memory that a device may access: {@code struct ibv_mr}. Any thread may use it.
 *
 * <p>The program that registers it owns it. It knows its segment, and requests that use it are checked against that. It
 * does not own the memory.
 *
 * <p>Close in this order: the queue pairs that use it, or at least end everything they have outstanding; then the
 * region; then the arena. A {@link dev.isthmus.GuardedArena} refuses to close before the region. Once the region is
 * closed, the device no longer writes. The exceptions are drivers that copy short messages at each poll: HiSilicon's
 * always, and NVIDIA's if the environment says {@code MLX5_SCATTER_TO_CQE=1}. C also reads the memory while an
 * {@linkplain SendRequest#inline inline} request is posted. docs/what-ends-the-jvm.md explains what follows from these.
 */
public final class MemoryRegion implements AutoCloseable {

    static {
        Natives.of(MemoryRegion.class).isCreatedFrom(OutsideRegion.class, MemoryRegions::of);
    }

    /**
     * The open regions. This keeps the memory of an automatic arena from being freed while a device can still write
     * to it.
     */
    private static final Set<MemoryRegion> OPEN = ConcurrentHashMap.newKeySet();

    /** Never alive. */
    private static final MemorySegment.Scope DEAD = dead();

    private final ProtectionDomain pd;
    private final Lifetime lifetime;
    private final MemorySegment handle; // struct ibv_mr; for a part of another region, that region's
    private final RegionKind kind;
    private final MemorySegment segment;
    private final Set<AccessFlag> access;
    private final boolean writable;
    private final boolean hostAddressed;
    private final long address;
    private final long length;
    private final int lkey;
    private final int rkey;
    private final int handleNumber;
    private final ArenaGuard guard; // of the memory's arena, or null

    /**
     * Alive as long as requests may use the region: the memory's scope and, once this is closed, a dead one. Read
     * without a lock: a stale read posts a dead lkey, which the device refuses.
     */
    private MemorySegment.Scope usable;

    private boolean open = true;
    private boolean replaced;
    private boolean broken;

    private static MemorySegment.Scope dead() {
        try (var arena = Arena.ofConfined()) {
            return arena.scope();
        }
    }

    /**
     * Creates a region, which keeps a guarded arena open as long as C has the region.
     *
     * @param handle creates it in C, or throws
     * @param kind says how it ends
     */
    static MemoryRegion make(
            ProtectionDomain pd,
            Lifetime lifetime,
            Supplier<MemorySegment> handle,
            RegionKind kind,
            RegionMemory memory,
            Set<AccessFlag> access) {
        ArenaGuard guard = ArenaGuard.hold(memory.segment(), lifetime);
        boolean made = false;
        try {
            MemorySegment mr = handle.get();
            MemoryRegion region = Lifetime.orDestroy(
                    () -> new MemoryRegion(pd, lifetime, mr, kind, memory, access, guard),
                    () -> kind.destroy(mr, lifetime.name()));
            made = true;
            return region;
        } finally {
            if (!made) {
                ArenaGuard.release(guard, lifetime);
            }
        }
    }

    private MemoryRegion(
            ProtectionDomain pd,
            Lifetime lifetime,
            MemorySegment handle,
            RegionKind kind,
            RegionMemory memory,
            Set<AccessFlag> access,
            ArenaGuard guard) {
        MemorySegment mr = NativeCall.sized(handle, ibv_mr.sizeof());
        this.pd = pd;
        this.lifetime = lifetime;
        this.handle = handle;
        this.kind = kind;
        this.segment = memory.segment();
        this.usable = segment.scope();
        this.access = access;
        this.writable = access.contains(AccessFlag.LOCAL_WRITE);
        this.address = memory.address();
        this.length = memory.length();
        this.hostAddressed = memory.isHostAddressed();
        this.lkey = ibv_mr.lkey(mr);
        this.rkey = ibv_mr.rkey(mr);
        this.handleNumber = ibv_mr.handle(mr);
        this.guard = guard;
        OPEN.add(this);
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
     * The memory that was registered.
     *
     * @return the segment; {@link MemorySegment#NULL} for a region of memory outside this process
     */
    public MemorySegment segment() {
        return segment;
    }

    /**
     * Where the region begins for the device, and for the peer of an RDMA READ or WRITE: the address of the memory,
     * unless it was registered at another address.
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
     * The key by which local requests name the region.
     *
     * @return the lkey
     */
    public int lkey() {
        return lkey;
    }

    /**
     * The key by which the peer of an RDMA READ or WRITE names the region.
     *
     * @return the rkey
     */
    public int rkey() {
        return rkey;
    }

    /**
     * The region, described for a peer: send it by {@link RemoteMemory#write}.
     *
     * @return address, rkey and length
     * @throws IllegalStateException if this is closed
     */
    public RemoteMemory remoteMemory() {
        lifetime.check();
        return new RemoteMemory(address, rkey, length);
    }

    /**
     * What may be done to the region.
     *
     * @return the flags with which it was registered
     */
    public Set<AccessFlag> access() {
        return Set.copyOf(access);
    }

    /**
     * The kernel's number for the region: {@code handle} of {@code struct ibv_mr}. Another process that has imported
     * the domain imports the region by it: see {@link ProtectionDomain#importRegion}.
     *
     * @return the number
     * @throws IllegalStateException if this is closed
     */
    public int handleNumber() {
        lifetime.check();
        return handleNumber;
    }

    /**
     * Changes the region, which costs less than closing it and registering another: {@code ibv_rereg_mr}. Requests that
     * use it must have completed. The returned region replaces this one, and this one is closed. Requests that name
     * this one are refused until you set the new one.
     *
     * <p>If a change fails half-way, the region cannot be used any more, only closed; the message says so. Otherwise it
     * stays as it was. Blocks.
     *
     * @param configure sets what changes
     * @return the changed region, which the caller closes
     * @throws IllegalArgumentException if nothing changes, or the new memory or access could not be registered either
     * @throws IllegalStateException if this is closed, or not a region that {@link ProtectionDomain#register} made
     * @throws dev.isthmus.VerbsException if the call fails
     */
    public MemoryRegion reregister(Consumer<Reregistration> configure) {
        var change = new Reregistration(this);
        change.filling.by(configure, change);
        return change.perform();
    }

    /**
     * Tells the device that a range of a region that it faults in on demand will be used: {@code ibv_advise_mr}.
     *
     * @param advice what will be done
     * @param wait true to return when it has been done ({@code IBV_ADVISE_MR_FLAG_FLUSH}), false only to begin it
     * @param offset where the range begins in the region, in bytes
     * @param length its length in bytes
     * @throws IndexOutOfBoundsException if the range is outside the region
     * @throws IllegalArgumentException if the advice is to write, and the region was registered without LOCAL_WRITE; or
     *     the range is longer than 2<sup>40</sup> bytes
     * @throws IllegalStateException if this is closed, or its memory is gone
     * @throws dev.isthmus.VerbsException if the call fails, for example with EOPNOTSUPP if the device faults no
     *     memory in
     */
    public void advise(MemoryAdvice advice, boolean wait, long offset, long length) {
        Objects.checkFromIndexSize(offset, length, this.length);
        if (advice == MemoryAdvice.PREFETCH_WRITE && !writable) {
            throw new IllegalArgumentException(
                    this + " was registered without LOCAL_WRITE: it cannot be prefetched to be" + " written");
        }
        checkUsable();
        advice.give(this, wait, offset, length);
    }

    RegionKind kind() {
        return kind;
    }

    MemorySegment handle() {
        return handle;
    }

    Lifetime lifetime() {
        return lifetime;
    }

    /** Whether the device's address is the memory's own: only then can the processor copy inline data. */
    @HotPath
    boolean isHostAddressed() {
        return hostAddressed;
    }

    @HotPath
    boolean isWritable() {
        return writable;
    }

    /** Whether requests can treat both regions alike. */
    @HotPath
    boolean isLike(MemoryRegion other) {
        return pd == other.pd && writable == other.writable && hostAddressed == other.hostAddressed;
    }

    /** Checks that requests may still use the region. */
    @HotPath
    void checkUsable() {
        if (!usable.isAlive()) { // one check for both: is this closed, or is its memory gone?
            throw unusable();
        }
    }

    private IllegalStateException unusable() {
        if (open) {
            return new IllegalStateException("the arena of " + this + " is closed: its memory is gone");
        }
        if (replaced) {
            return new IllegalStateException(
                    this + " has been registered anew: use the region that reregister returned");
        }
        return new IllegalStateException(
                broken ? this + " is lost, as reregister failed half-way: close it" : this + " is closed");
    }

    /**
     * Lets another object replace this one, which is closed for good.
     *
     * @param change makes the change; if it throws, this stays as it was
     * @throws IllegalStateException if this is closed or lost, or something holds it
     */
    void replace(Runnable change) {
        if (broken) {
            throw unusable();
        }
        var changed = new AtomicBoolean();
        end(() -> {
            change.run();
            changed.setPlain(true);
        });
        if (!changed.getPlain()) { // it had ended before, together with its handle
            throw unusable();
        }
        replaced = true;
    }

    /** Marks the region as unusable, as reported by C. */
    void markBroken() {
        broken = true;
        open(false);
    }

    private void open(boolean now) {
        open = now;
        usable = now ? segment.scope() : DEAD;
    }

    /**
     * Deregisters the memory: {@code ibv_dereg_mr}. Requests that use it must have completed, or the device fails them.
     * Only releases an imported region: {@code ibv_unimport_mr}. Does nothing if it is closed already.
     *
     * @throws dev.isthmus.VerbsException if the call fails, for example because a memory window is bound to the region;
     *     you can try again
     */
    @Override
    public void close() {
        end(() -> kind.destroy(handle, lifetime.name()));
    }

    private void end(Runnable destroyOrChange) {
        lifetime.close(() -> {
            open(false); // before the call: from now on, no request may name it
            boolean ended = false;
            try {
                destroyOrChange.run();
                ended = true;
            } finally {
                open(!ended && !broken);
            }
            OPEN.remove(this);
            ArenaGuard.release(guard, lifetime);
        });
    }

    /** The class, the device's name, and the length. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
