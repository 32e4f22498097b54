// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.bindings.ibverbs.ibv_recv_wr;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.NativeMemory;
import dev.isthmus.internal.OwnerThread;
import dev.isthmus.internal.verbs.IbverbsLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What send and receive requests share: a number, a scatter/gather list, and a request chained behind. A request has
 * native memory of its own. Prepare it once and post it many times; change its members in place. The device keeps no
 * reference to it after the post. The buffers that it names belong to the device until the request has completed.
 *
 * <p>It belongs to one thread at a time, at first the one that prepared it. That must be the thread of the queues to
 * which it is posted: see {@link #handOver}. No other thread may change it, as C reads it during a post. Every setter
 * throws WrongThreadException on another thread. Changing a member allocates nothing.
 *
 * @param <R> the kind of request
 */
public abstract sealed class WorkRequest<R extends WorkRequest<R>> permits SendRequest, ReceiveRequest {

    /**
     * Offsets in both structs, which begin alike, as a test verifies. In a class of its own, so that {@link #checked}
     * runs first.
     */
    private static final class Member {
        static final long WR_ID = ibv_recv_wr.wr_id$offset();
        static final long NEXT = ibv_recv_wr.next$offset();
        static final long SG_LIST = ibv_recv_wr.sg_list$offset();
        static final long NUM_SGE = ibv_recv_wr.num_sge$offset();

        private Member() {}
    }

    /** More than any device accepts. A larger number is refused as a mistake, not reported as a lack of memory. */
    private static final int MAX_SGE = 1 << 16;

    final MemorySegment wr;
    private final long address; // of the struct, for the JIT: docs/instructions.md
    private final ScatterGatherList buffers;
    private final OwnerThread owner = new OwnerThread(this);
    private MemoryRegion soleRegion; // of the only buffer; null if there are several, or it names other objects
    private R next;
    private long validatedFor;

    /**
     * The memory belongs to the request, and lives as long as it. C reads it at each post, so a caller's arena, which
     * could be closed meanwhile, will not do.
     */
    WorkRequest(MemoryLayout layout, int maxSge, boolean deviceWrites) {
        Arena arena = Arena.ofAuto();
        this.wr = arena.allocate(layout);
        this.address = wr.address();
        this.buffers = new ScatterGatherList(arena, maxSge, deviceWrites);
        wr.set(JAVA_LONG, Member.SG_LIST, buffers.address());
    }

    ScatterGatherList buffers() {
        return buffers;
    }

    /** Checks the arguments of a request before any layout is loaded. */
    static int checked(int maxSge) {
        if (maxSge < 0 || maxSge > MAX_SGE) {
            throw new IllegalArgumentException("maxSge is not between 0 and " + MAX_SGE + ": " + maxSge);
        }
        IbverbsLibrary.require();
        return maxSge;
    }

    @SuppressWarnings("unchecked") // R is the class itself
    private R self() {
        return (R) this;
    }

    /**
     * Sets the number that its completion will carry.
     *
     * @param id any number
     * @return this
     * @throws WrongThreadException if this belongs to another thread
     */
    @HotPath
    public final R wrId(long id) {
        checkOwner();
        setLong(Member.WR_ID, id);
        return self();
    }

    /**
     * Sets one of the buffers, or appends one.
     *
     * @param index which buffer; at most the number of buffers that are set
     * @param region the region of the buffer; for a receive, or an RDMA READ, registered with LOCAL_WRITE
     * @param offset where it begins in the region, in bytes
     * @param length its length in bytes
     * @return this
     * @throws IndexOutOfBoundsException if the index is beyond {@code maxSge}, or the range outside the region
     * @throws IllegalArgumentException if this is a receive and the region was registered without LOCAL_WRITE
     * @throws WrongThreadException if this belongs to another thread
     */
    @HotPath
    public final R sge(int index, MemoryRegion region, long offset, long length) {
        checkOwner();
        if (!buffers.hasLike(index, region)) {
            invalidate();
        }
        buffers.set(index, region, offset, length);
        wr.set(JAVA_INT, Member.NUM_SGE, buffers.count());
        lengthChanged(buffers.total());
        updateSoleRegion();
        return self();
    }

    /**
     * Sets the range of the only buffer.
     *
     * @param offset where it begins in its region, in bytes
     * @param length its length in bytes
     * @return this
     * @throws IndexOutOfBoundsException if the range is outside the region
     * @throws IllegalStateException if the request does not have exactly one buffer
     * @throws WrongThreadException if this belongs to another thread
     */
    @HotPath
    public final R range(long offset, long length) {
        checkOwner();
        buffers.range(offset, length);
        lengthChanged(length);
        return self();
    }

    /**
     * Sets the length of the only buffer.
     *
     * @param length in bytes
     * @return this
     * @throws IndexOutOfBoundsException if the buffer would end outside its region
     * @throws IllegalStateException if the request does not have exactly one buffer
     * @throws WrongThreadException if this belongs to another thread
     */
    @HotPath
    public final R length(long length) {
        checkOwner();
        buffers.length(length);
        lengthChanged(length);
        return self();
    }

    /**
     * Chains a request behind this one, for {@link QueuePair#tryPostChain}, which posts both in one call.
     *
     * @param following the next request, or null for none
     * @return this
     * @throws WrongThreadException if this belongs to another thread
     */
    @HotPath
    public final R next(R following) {
        checkOwner();
        wr.set(JAVA_LONG, Member.NEXT, following == null ? 0 : following.address()); // first, as it may throw
        if ((following == null) != (next == null)) {
            validatedFor = -validatedFor;
        }
        next = following;
        return self();
    }

    /**
     * The request chained behind this one.
     *
     * @return the next request, or null
     */
    @HotPath
    public final R next() {
        return next;
    }

    /**
     * The number of the queue that has inspected and accepted it, if nothing relevant was set since; otherwise 0.
     * Negative while another request is chained after it.
     */
    @HotPath
    final long validatedFor() {
        return validatedFor;
    }

    /** Notes that a queue has inspected and accepted it. */
    @HotPath
    final void markValidated(long queue) {
        validatedFor = next == null ? queue : -queue;
    }

    /** Notes that something was set that a queue must inspect. */
    @HotPath
    final void invalidate() {
        validatedFor = 0;
    }

    /** The number that its completion will carry. */
    @HotPath
    final long wrId() {
        return NativeMemory.getLong((address & NativeMemory.ANY_ADDRESS) + Member.WR_ID);
    }

    /** Notes that the buffers, or other objects that can end, have changed. */
    @HotPath
    final void updateSoleRegion() {
        soleRegion = buffers.count() == 1 && !namesMore() ? buffers.region(0) : null;
    }

    /** Checks that the caller may change or post it. */
    @HotPath
    final void checkOwner() {
        owner.check();
    }

    /**
     * Gives the request to another thread: from now on only that one may change and post it. The caller must make this
     * visible to that thread like any other change, for example by starting the thread. If an owner has ended, the
     * request belongs to the first thread that uses it. A posted request stays posted.
     *
     * @param to the new owner
     * @throws NullPointerException if it is null
     * @throws WrongThreadException if this belongs to another thread than the caller
     */
    public final void handOver(Thread to) {
        owner.handOver(to);
        invalidate();
    }

    /**
     * Gives the request to whichever thread holds a lock: threads that take the lock use this in turn. Otherwise like
     * {@link #handOver}.
     *
     * <p>Always hold the lock when you use it. A thread without the lock is refused once another thread has used this,
     * but not before: until then both would use it at once, and the process may end.
     *
     * @param lock the thread that holds it may use this
     * @throws NullPointerException if it is null
     * @throws WrongThreadException if this belongs to another thread than the caller
     */
    public final void shareUnder(ReentrantLock lock) {
        owner.shareUnder(lock);
        invalidate();
    }

    /** Checks that the buffers are in regions of a queue's domain. */
    final void checkDomain(ProtectionDomain of, Object queue) {
        buffers.checkDomain(of, queue);
    }

    /** The length of the message changed. */
    @HotPath
    abstract void lengthChanged(long length);

    /** Whether it names objects besides buffers that each post must check. */
    @HotPath
    abstract boolean namesMore();

    /**
     * Checks what validation does not cover, as it can change at any time: that everything it names exists and is the
     * caller's.
     */
    @HotPath
    final void checkUsable() {
        MemoryRegion region = soleRegion;
        if (region == null) {
            checkEach();
            return;
        }
        region.checkUsable(); // like most requests: no array, and no loop
    }

    @HotPath
    void checkEach() {
        checkBuffers();
    }

    /** Checks that the regions of the buffers can be used. */
    @HotPath
    final void checkBuffers() {
        buffers.checkUsable();
    }

    /** Checks that the device may write to the buffers, as a READ and an atomic do. */
    @HotPath
    final void checkWritable() {
        buffers.checkWritable();
    }

    /** The address of the array of {@code struct ibv_sge}. */
    @HotPath
    final long sgeListAddress() {
        return buffers.address();
    }

    /** The address of a buffer. */
    @HotPath
    final long sgeAddress(int index) {
        return buffers.address(index);
    }

    /** The length of a buffer, in bytes. */
    @HotPath
    final long sgeLength(int index) {
        return buffers.length(index);
    }

    /** Checks that the processor can copy the buffers from the device's addresses. */
    @HotPath
    final void checkCopyable() {
        buffers.checkCopyable();
    }

    /** Copies the content of the buffers; returns its length. */
    @HotPath
    final long gather(MemorySegment to) {
        return buffers.gather(to);
    }

    /** How many buffers it has. */
    @HotPath
    final int sgeCount() {
        return buffers.count();
    }

    /** The length of the message, in bytes. */
    @HotPath
    final long messageLength() {
        return buffers.total();
    }

    @HotPath
    final long address() {
        return address;
    }

    /** Sets a member by its address, as the struct is this request's own and always exists. */
    @HotPath
    final void setInt(long member, int value) {
        try {
            NativeMemory.setInt((address & NativeMemory.ANY_ADDRESS) + member, value);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    @HotPath
    final void setLong(long member, long value) {
        try {
            NativeMemory.setLong((address & NativeMemory.ANY_ADDRESS) + member, value);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** The kind, the buffers and the length. */
    @Override
    public String toString() {
        return getClass().getSimpleName() + "(" + buffers.count() + " buffers, " + buffers.total() + " bytes)";
    }
}
