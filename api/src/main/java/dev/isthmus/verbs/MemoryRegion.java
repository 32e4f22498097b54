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
 * Memory that a device may reach: {@code struct ibv_mr}. Any thread may use it.
 *
 * <p>Owned by who registered it. It knows its segment, and requests that use it are checked against it; it does not
 * own the memory.
 *
 * <p>Close what uses it in this order: the queue pairs, or at least all that they have outstanding; then the region; then
 * the arena. A {@link dev.isthmus.GuardedArena} refuses to be closed before the region. Once the region is closed the device
 * no longer writes, with two exceptions: drivers that copy short messages when they are polled, HiSilicon's always and
 * NVIDIA's if the environment says {@code MLX5_SCATTER_TO_CQE=1}. C also reads the memory while an {@linkplain
 * SendRequest#inline inline} request is posted. docs/what-ends-the-jvm.md has what follows from these.
 */
public final class MemoryRegion implements AutoCloseable {

    static {
        Natives.of(MemoryRegion.class).isMadeOf(OutsideRegion.class, MemoryRegions::of);
    }

    /**
     * The regions that are open. It keeps the memory of an automatic arena from being freed while a device can still
     * write to it.
     */
    private static final Set<MemoryRegion> OPEN = ConcurrentHashMap.newKeySet();

    /** Never alive. */
    private static final MemorySegment.Scope DEAD = dead();

    private final ProtectionDomain pd;
    private final Lifetime lifetime;
    private final MemorySegment handle; // struct ibv_mr; of a part of another region, that one's
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
     * Alive as long as requests may use the region: the memory's, and once this is closed, one that is dead. Read without
     * a lock: a stale read posts a dead lkey, which the device refuses.
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
     * Makes a region, which keeps a guarded arena open from before C has it until C has it no more.
     *
     * @param handle makes it in C, or throws
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
                ArenaGuard.letGo(guard, lifetime);
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
     * The domain that it is in.
     *
     * @return the domain
     */
    public ProtectionDomain protectionDomain() {
        return pd;
    }

    /**
     * The memory that was registered.
     *
     * @return the segment; {@link MemorySegment#NULL} for a region that is not of this process's memory
     */
    public MemorySegment segment() {
        return segment;
    }

    /**
     * Where the region begins for the device, as the peer of an RDMA READ or WRITE needs it: the address of the memory,
     * unless it was registered at another.
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
     * The region as its peer needs to know it, to be sent there: {@link RemoteMemory#write}.
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
     * @return the flags it was registered with
     */
    public Set<AccessFlag> access() {
        return Set.copyOf(access);
    }

    /**
     * The number that the kernel knows the region by: {@code handle} of {@code struct ibv_mr}. Another process, which
     * has imported the domain, imports the region by it: see {@link ProtectionDomain#importRegion}.
     *
     * @return the number
     * @throws IllegalStateException if this is closed
     */
    public int handleNumber() {
        lifetime.check();
        return handleNumber;
    }

    /**
     * Changes what the region is, for less than to close it and register another: {@code ibv_rereg_mr}. Requests that
     * use it must have completed. The region that this returns takes the place of this one, which is closed by it;
     * requests that name this one are refused until they are given the new one.
     *
     * <p>A region whose change failed half-way is not fit for use any more, and only to be closed: the message says so.
     * Otherwise it is as it was. Blocks.
     *
     * @param configure says what changes
     * @return the region as it is from now on, which the caller closes
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
     * Tells the device that a range will be used, of a region that it faults in on demand: {@code ibv_advise_mr}.
     *
     * @param advice what is going to be done
     * @param wait true to return when it has been done ({@code IBV_ADVISE_MR_FLAG_FLUSH}), false to let it begin
     * @param offset where the range begins in the region, in bytes
     * @param length its length in bytes
     * @throws IndexOutOfBoundsException if the range is outside the region
     * @throws IllegalArgumentException if the advice is to write, and the region was registered without LOCAL_WRITE; or
     *     the range is longer than 2<sup>40</sup> bytes
     * @throws IllegalStateException if this is closed, or its memory gone
     * @throws dev.isthmus.VerbsException if the call fails, such as with EOPNOTSUPP when the device faults no memory in
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

    /** Whether the address for the device is that of the memory: only then the processor can copy inline data. */
    @HotPath
    boolean isHostAddressed() {
        return hostAddressed;
    }

    @HotPath
    boolean isWritable() {
        return writable;
    }

    /** Whether requests can do the same with both. */
    @HotPath
    boolean isLike(MemoryRegion other) {
        return pd == other.pd && writable == other.writable && hostAddressed == other.hostAddressed;
    }

    /** Checks that requests may still use the region. */
    @HotPath
    void checkUsable() {
        if (!usable.isAlive()) { // one question for both: is this closed, or its memory gone?
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
     * Lets another object take the place of this one, which is closed for good.
     *
     * @param change makes the change; when it throws, this is as it was
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
        if (!changed.getPlain()) { // it had ended before, and its handle with it
            throw unusable();
        }
        replaced = true;
    }

    /** Marks the region as one that C says must not be used. */
    void markBroken() {
        broken = true;
        open(false);
    }

    private void open(boolean now) {
        open = now;
        usable = now ? segment.scope() : DEAD;
    }

    /**
     * Deregisters the memory: {@code ibv_dereg_mr}. Requests that use it must have completed, or the device fails
     * them. A region that was imported is only let go of: {@code ibv_unimport_mr}. Does nothing when it is closed
     * already.
     *
     * @throws dev.isthmus.VerbsException if the call fails, such as when a memory window is bound to the region; it can
     *     be tried again
     */
    @Override
    public void close() {
        end(() -> kind.destroy(handle, lifetime.name()));
    }

    private void end(Runnable destroyOrChange) {
        lifetime.close(() -> {
            open(false); // before the call: no request may name it from here on
            boolean ended = false;
            try {
                destroyOrChange.run();
                ended = true;
            } finally {
                open(!ended && !broken);
            }
            OPEN.remove(this);
            ArenaGuard.letGo(guard, lifetime);
        });
    }

    /** The class, the device's name, and the length. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
