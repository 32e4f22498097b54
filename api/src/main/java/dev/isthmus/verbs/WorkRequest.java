package dev.isthmus.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.bindings.ibverbs.ibv_recv_wr;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.OwnerThread;
import dev.isthmus.internal.verbs.IbverbsLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;

/**
 * What send and receive requests share: a number, a scatter/gather list, and a request chained behind. It lies in native
 * memory of its own, is prepared once and posted many times; its members are changed in place, and the device keeps no reference
 * to it after the post. The buffers that it names belong to the device until the request has completed.
 *
 * <p>It belongs to one thread at a time, at first the one that prepared it, which must be the thread of the queues that it is
 * posted to: see {@link #handOver}. No other may change it: C reads it during a post. Every method that sets something throws
 * WrongThreadException on another thread. Changing a member allocates nothing.
 *
 * @param <R> the kind of request
 */
public abstract sealed class WorkRequest<R extends WorkRequest<R>> permits SendRequest, ReceiveRequest {

    /** Of both structs, which begin alike: a test makes sure of it. Apart, so that {@link #checked} comes first. */
    private static final class Member {
        static final long WR_ID = ibv_recv_wr.wr_id$offset();
        static final long NEXT = ibv_recv_wr.next$offset();
        static final long SG_LIST = ibv_recv_wr.sg_list$offset();
        static final long NUM_SGE = ibv_recv_wr.num_sge$offset();

        private Member() {}
    }

    /** More than any device takes, so that a slip is told from a lack of memory. */
    private static final int MAX_SGE = 1 << 16;

    final MemorySegment wr;
    private final long address; // of it: to ask it costs a type check at each post
    private final ScatterGatherList buffers;
    private MemoryRegion only; // of the one buffer that most requests have; null when there is none or several
    private int simple;
    private int simpleAlone;
    private R next;
    private final OwnerThread owner = new OwnerThread(this);
    private ProtectionDomain domain; // of the buffer that was set last

    /** The number of the queue that has inspected thread and domains, and of the one that has found no more to ask; 0 for none. */
    private long inspectedBy;

    private long verdict;

    /**
     * The memory is the request's own, and lives as long as it: C reads it at each post, so no arena of the caller's,
     * which could be closed meanwhile, will do.
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

    /** Checks what a request is prepared with, before any layout is loaded. */
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
     * Sets the number that the completion will carry.
     *
     * @param id any number
     * @return this
     * @throws WrongThreadException if this belongs to another thread
     */
    @HotPath
    public final R wrId(long id) {
        checkOwner();
        wr.set(JAVA_LONG, Member.WR_ID, id);
        return self();
    }

    /**
     * Sets one of the buffers, or appends one.
     *
     * @param index which; at most the number of those that are set
     * @param region the region that it is in; for a receive, or an RDMA READ, registered with LOCAL_WRITE
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
        buffers.set(index, region, offset, length);
        if (region.protectionDomain() != domain) {
            domain = region.protectionDomain();
            forget();
        }
        wr.set(JAVA_INT, Member.NUM_SGE, buffers.count());
        only = buffers.count() == 1 ? region : null;
        lengthChanged(buffers.total());
        settle();
        return self();
    }

    /**
     * Sets the range of the only buffer.
     *
     * @param offset where it begins in its region, in bytes
     * @param length its length in bytes
     * @return this
     * @throws IndexOutOfBoundsException if the range is outside the region
     * @throws IllegalStateException if the request does not have just one buffer
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
     * @throws IllegalStateException if the request does not have just one buffer
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
     * Chains a request behind this one, for {@link QueuePair#tryPostChain}: both are posted in one call.
     *
     * @param following the next request, or null for none
     * @return this
     * @throws WrongThreadException if this belongs to another thread
     */
    @HotPath
    public final R next(R following) {
        checkOwner();
        wr.set(JAVA_LONG, Member.NEXT, following == null ? 0 : following.address()); // first: it may throw
        next = following;
        settle();
        return self();
    }

    /**
     * The request that is chained behind this one.
     *
     * @return the next request, or null
     */
    @HotPath
    public final R next() {
        return next;
    }

    /**
     * What a queue asks of a request at each post, settled when it is changed: its kind, if it has one buffer and needs
     * no check but that the queue takes that kind; otherwise 0.
     */
    @HotPath
    final int simple() {
        return simple;
    }

    /** The same of a request that no other is chained to; 0 of one that has another behind it. */
    @HotPath
    final int simpleAlone() {
        return simpleAlone;
    }

    /** Something changed of what {@link #simple} says. */
    @HotPath
    final void settle() {
        simple = only == null ? 0 : simpleKind();
        int alone = next == null ? simple : 0;
        if (alone != simpleAlone) {
            simpleAlone = alone;
            verdict = 0;
        }
    }

    /** Checks that the caller may change or post it. */
    @HotPath
    final void checkOwner() {
        owner.check();
    }

    /**
     * Gives the request to another thread: only that one may change and post it from here on. The caller makes this
     * visible to that thread as it would any change, such as by starting it. When an owner has ended, the request falls to
     * the first thread that uses it. What has been posted stays posted.
     *
     * @param to the new owner
     * @throws NullPointerException if there is none
     * @throws WrongThreadException if this belongs to another thread than the caller
     */
    public final void handOver(Thread to) {
        owner.handOver(to);
        forget();
    }

    /** Queues have to inspect it anew. */
    @HotPath
    final void forget() {
        inspectedBy = 0;
        verdict = 0;
    }

    /** The queue that thread and domains were found right by. */
    @HotPath
    final long inspectedBy() {
        return inspectedBy;
    }

    /** The queue that may post it as it is, when its region can still be used. */
    @HotPath
    final long verdict() {
        return verdict;
    }

    @HotPath
    final void verdict(long queue) {
        verdict = queue;
    }

    /** Checks what holds until the owner or the domain of a buffer changes. */
    final void inspect(ProtectionDomain of, Object queue, long number) {
        checkOwner();
        if (!isInline()) {
            checkDomain(of, queue);
        }
        inspectedBy = number;
    }

    /** Checks that the buffers are in regions of a queue's domain. */
    final void checkDomain(ProtectionDomain of, Object queue) {
        buffers.checkDomain(of, queue);
    }

    /** Whether the post copies the data, so that the device reaches no buffer. */
    @HotPath
    abstract boolean isInline();

    /** The length of the message changed. */
    @HotPath
    abstract void lengthChanged(long length);

    /** The kind, unless a queue has to check more of it; then 0. */
    @HotPath
    abstract int simpleKind();

    /** Checks that the regions of the buffers can be used. */
    @HotPath
    final void checkUsable() {
        MemoryRegion region = only;
        if (region == null) {
            buffers.checkUsable();
            return;
        }
        region.checkUsable(); // as most: no array, and no loop over it
    }

    /** Whether the device may write to the buffers. */
    @HotPath
    final boolean isWritable() {
        return buffers.isWritable();
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

    /** Copies what is in the buffers; returns how much that is. */
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

    /** The kind, the buffers and the length. */
    @Override
    public String toString() {
        return getClass().getSimpleName() + "(" + buffers.count() + " buffers, " + buffers.total() + " bytes)";
    }
}
