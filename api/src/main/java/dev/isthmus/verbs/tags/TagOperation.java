// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.tags;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.bindings.ibverbs.ibv_ops_wr;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.Natives;
import dev.isthmus.internal.OwnerThread;
import dev.isthmus.internal.verbs.Buffers;
import dev.isthmus.internal.verbs.IbverbsLibrary;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.ReceiveRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * A change of the tags that a shared receive queue matches: {@code struct ibv_ops_wr}. Like a
 * {@link dev.isthmus.verbs.WorkRequest}, you prepare it once, change it in place and post it many times, by
 * {@link TagQueue#tryPost}.
 *
 * <p>A message matches a tag if the bits of its tag that the mask sets equal those of the tag.
 *
 * <p>It belongs to one thread at a time, at first the one that prepared it. That must be the thread of the queues to
 * which it is posted: see {@link #handOver}. Every setter throws WrongThreadException on another thread. Changing a
 * member allocates nothing.
 */
public final class TagOperation {

    /**
     * Offsets in {@code struct ibv_ops_wr}, in a class of their own, so that {@link #prepare} notices a
     * missing library.
     */
    private static final class Member {
        static final long WR_ID = ibv_ops_wr.wr_id$offset();
        static final long NEXT = ibv_ops_wr.next$offset();
        static final long OPCODE = ibv_ops_wr.opcode$offset();
        static final long FLAGS = ibv_ops_wr.flags$offset();
        static final long UNEXPECTED = ibv_ops_wr.tm$offset() + ibv_ops_wr.tm.unexpected_cnt$offset();
        static final long HANDLE = ibv_ops_wr.tm$offset() + ibv_ops_wr.tm.handle$offset();
        static final long ADD = ibv_ops_wr.tm$offset() + ibv_ops_wr.tm.add$offset();
        static final long RECV_WR_ID = ADD + ibv_ops_wr.tm.add.recv_wr_id$offset();
        static final long SG_LIST = ADD + ibv_ops_wr.tm.add.sg_list$offset();
        static final long NUM_SGE = ADD + ibv_ops_wr.tm.add.num_sge$offset();
        static final long TAG = ADD + ibv_ops_wr.tm.add.tag$offset();
        static final long MASK = ADD + ibv_ops_wr.tm.add.mask$offset();

        private Member() {}
    }

    /** Codes of {@code enum ibv_ops_wr_opcode}. */
    private static final int ADD = 0;

    private static final int DEL = 1;
    private static final int SYNC = 2;

    /** Bits of {@code enum ibv_ops_flags}. */
    private static final int SIGNALED = 1;

    private static final int TM_SYNC = 1 << 1;

    private final MemorySegment wr;
    private final Buffers<MemoryRegion, ProtectionDomain> buffer;
    private int opcode = SYNC;
    private TagOperation next;
    private final OwnerThread owner = new OwnerThread(this);

    private TagOperation() {
        Arena arena = Arena.ofAuto();
        this.wr = arena.allocate(ibv_ops_wr.layout());
        this.buffer = buffer();
        wr.set(JAVA_LONG, Member.SG_LIST, buffer.address());
        become(SYNC);
    }

    /** Room for one buffer, like a receive's: no device takes more. */
    @SuppressWarnings("unchecked") // verbs has one kind of buffers
    private static Buffers<MemoryRegion, ProtectionDomain> buffer() {
        return Natives.part(ReceiveRequest.prepare(1), Buffers.class);
    }

    /**
     * An operation; until you change it, {@link #synchronize()}.
     *
     * @return the operation
     * @throws dev.isthmus.RdmaUnavailableException if libibverbs is not installed
     */
    public static TagOperation prepare() {
        IbverbsLibrary.require();
        return new TagOperation();
    }

    /**
     * Makes it add a tagged receive: {@code IBV_WR_TAG_ADD}. The buffer belongs to the device until the receive has
     * completed, or the tag is deleted.
     *
     * @param receiveWrId the number that the completion of the receive will carry
     * @param tag the tag
     * @param mask the bits of a message's tag that count
     * @return this
     */
    @HotPath
    public TagOperation add(long receiveWrId, long tag, long mask) {
        become(ADD);
        wr.set(JAVA_LONG, Member.RECV_WR_ID, receiveWrId);
        wr.set(JAVA_LONG, Member.TAG, tag);
        wr.set(JAVA_LONG, Member.MASK, mask);
        return this;
    }

    /**
     * Sets the buffer of a tagged receive. Without one, it can only receive empty messages.
     *
     * @param region the region of the buffer, registered with LOCAL_WRITE
     * @param offset where it begins in the region, in bytes
     * @param length its length in bytes
     * @return this
     * @throws IndexOutOfBoundsException if the range is outside the region
     * @throws IllegalArgumentException if the region was registered without LOCAL_WRITE
     */
    @HotPath
    public TagOperation buffer(MemoryRegion region, long offset, long length) {
        owner.check();
        buffer.set(0, region, offset, length);
        wr.set(JAVA_INT, Member.NUM_SGE, 1);
        return this;
    }

    /**
     * Makes it delete a tagged receive: {@code IBV_WR_TAG_DEL}. If a message has taken the receive meanwhile, the
     * completion's status is TM_ERR.
     *
     * @param handle the {@link #handle()} of the operation that added it
     * @return this
     */
    @HotPath
    public TagOperation delete(int handle) {
        become(DEL);
        wr.set(JAVA_INT, Member.HANDLE, handle);
        return this;
    }

    /**
     * Makes it only report the {@link #unexpectedCount}: {@code IBV_WR_TAG_SYNC}.
     *
     * @return this
     */
    @HotPath
    public TagOperation synchronize() {
        become(SYNC);
        return this;
    }

    @HotPath
    private void become(int code) {
        owner.check();
        opcode = code;
        wr.set(JAVA_INT, Member.OPCODE, code);
    }

    /**
     * Tells the device how many messages without a matching tag this program has handled so far:
     * {@code IBV_OPS_TM_SYNC}. The device matches no new tags until this count includes all of them.
     *
     * @param messages how many, modulo 2^32
     * @return this
     */
    @HotPath
    public TagOperation unexpectedCount(int messages) {
        flag(TM_SYNC, true);
        wr.set(JAVA_INT, Member.UNEXPECTED, messages);
        return this;
    }

    /**
     * Sets whether the operation produces a completion: {@code IBV_OPS_SIGNALED}.
     *
     * @param visibly true for a completion; otherwise only an add produces one, when a message has arrived
     * @return this
     */
    @HotPath
    public TagOperation signaled(boolean visibly) {
        flag(SIGNALED, visibly);
        return this;
    }

    @HotPath
    private void flag(int bit, boolean on) {
        owner.check();
        int flags = wr.get(JAVA_INT, Member.FLAGS);
        wr.set(JAVA_INT, Member.FLAGS, on ? flags | bit : flags & ~bit);
    }

    /**
     * Sets the number that the operation's completion will carry.
     *
     * @param id any number
     * @return this
     */
    @HotPath
    public TagOperation wrId(long id) {
        owner.check();
        wr.set(JAVA_LONG, Member.WR_ID, id);
        return this;
    }

    /**
     * Chains an operation behind this one, for {@link TagQueue#tryPostChain}.
     *
     * @param following the next operation, or null for none
     * @return this
     */
    @HotPath
    public TagOperation next(TagOperation following) {
        owner.check();
        wr.set(JAVA_LONG, Member.NEXT, following == null ? 0 : following.address());
        next = following;
        return this;
    }

    /**
     * The operation chained behind this one.
     *
     * @return the next operation, or null
     */
    @HotPath
    public TagOperation next() {
        return next;
    }

    /**
     * The handle of the receive that the last post added, for {@link #delete}.
     *
     * @return the device's number for it
     * @throws IllegalStateException if this operation does not add
     */
    @HotPath
    public int handle() {
        if (opcode != ADD) {
            throw new IllegalStateException("only an operation that adds a tag has a handle");
        }
        return wr.get(JAVA_INT, Member.HANDLE);
    }

    /**
     * Gives the operation to another thread: from now on only that one may change and post it. The caller must make
     * this visible to that thread like any other change, for example by starting the thread. If an owner has ended, the
     * operation belongs to the first thread that uses it.
     *
     * @param to the new owner
     * @throws NullPointerException if it is null
     * @throws WrongThreadException if this belongs to another thread than the caller
     */
    public void handOver(Thread to) {
        owner.handOver(to);
    }

    /**
     * Checks handles, as the driver uses them as indexes without a check.
     *
     * @param handles how many handles the queue has issued, numbered from 0
     * @param pd the domain of the queue
     */
    @HotPath
    void check(int handles, ProtectionDomain pd, Object queue) {
        owner.check();
        if (opcode == ADD) {
            buffer.checkUsable();
            buffer.checkDomain(pd, queue);
        } else if (opcode == DEL) {
            Objects.checkIndex(wr.get(JAVA_INT, Member.HANDLE), handles);
        }
    }

    /** The handle that a post has returned plus 1, or 0. */
    @HotPath
    int handlesKnown() {
        return opcode == ADD ? wr.get(JAVA_INT, Member.HANDLE) + 1 : 0;
    }

    @HotPath
    long address() {
        return wr.address();
    }

    /** The struct, for a test. */
    MemorySegment struct() {
        return wr;
    }

    /** What it does, for messages. */
    @Override
    public String toString() {
        return switch (opcode) {
            case ADD -> "TagOperation(ADD " + wr.get(JAVA_LONG, Member.TAG) + ", " + buffer.total() + " bytes)";
            case DEL -> "TagOperation(DEL " + wr.get(JAVA_INT, Member.HANDLE) + ")";
            default -> "TagOperation(SYNC)";
        };
    }
}
