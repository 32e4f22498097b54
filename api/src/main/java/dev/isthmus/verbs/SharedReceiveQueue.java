// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.CheckReturnValue;
import dev.isthmus.bindings.ibverbs.ibv_srq_attr;
import dev.isthmus.bindings.ibverbs.ibv_srq_init_attr_ex;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.Natives;
import dev.isthmus.internal.OwnerThread;
import dev.isthmus.internal.verbs.ContextFunction;
import dev.isthmus.internal.verbs.ContextOps;
import dev.isthmus.internal.verbs.Libibverbs;
import dev.isthmus.internal.verbs.TagLimit;
import dev.isthmus.internal.verbs.VerbsCall;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A shared receive queue: {@code struct ibv_srq}. The queue pairs created with it take their receives from here, in the
 * order in which messages arrive. The receives complete in the queue pairs' own completion queues.
 *
 * <p>It belongs to one thread at a time, at first the one that created it: see {@link #handOver}. Its queue pairs may
 * belong to others. The program that creates it owns it. It cannot be closed while it has queue pairs.
 */
public final class SharedReceiveQueue implements AutoCloseable {

    static {
        Natives.of(SharedReceiveQueue.class)
                .exposes(MemorySegment.class, SharedReceiveQueue::handle)
                .exposes(OwnerThread.class, queue -> queue.owner)
                .exposes(TagLimit.class, queue -> new TagLimit(queue.maxOps));
    }

    /** Bits of {@code enum ibv_srq_attr_mask}. */
    private static final int MAX_WR = 1;

    private static final int LIMIT = 1 << 1;

    private final ProtectionDomain pd;
    private final SharedReceiveQueueType type;
    private final Lifetime lifetime;
    private final OwnerThread owner;
    private final MemorySegment handle;
    private final int maxSge;
    private final int maxOps;
    private final ReceiveQueue receives;
    private int maxWr;

    private SharedReceiveQueue(
            ProtectionDomain pd,
            SharedReceiveQueueConfig config,
            Lifetime lifetime,
            MemorySegment handle,
            SharedReceiveQueueAttributes granted) {
        this.pd = pd;
        this.type = config.type();
        this.maxOps = config.maxOps();
        this.lifetime = lifetime;
        this.owner = new OwnerThread(lifetime);
        this.handle = handle;
        this.maxSge = granted.maxSge();
        MemorySegment function = pd.context().ops().postSharedReceive();
        this.receives = ReceiveQueue.of("ibv_post_srq_recv", this, owner, () -> {}, pd, function, handle.address());
        room(granted.maxWr());
    }

    static SharedReceiveQueue create(ProtectionDomain pd, SharedReceiveQueueConfig config) {
        ContextOps ops = pd.context().ops();
        String name = pd.context().device().name() + ", " + config.type();
        String what = name + ", " + config;
        var lifetime = new Lifetime("SharedReceiveQueue", name, config.parents(pd));
        return lifetime.open(() -> {
            try (var call =
                    new VerbsCall().explain(errno -> config.exceeds(pd.context().attributes()))) {
                MemorySegment init = call.allocate(ibv_srq_init_attr_ex.layout());
                config.write(pd, init);
                // As in ibv_create_srq_ex() of verbs.h: a plain queue is available even where the extended call is not.
                MemorySegment srq = config.type() == SharedReceiveQueueType.BASIC
                        ? call.create(Libibverbs.CREATE_SRQ, what, pd.handle(), init)
                        : call.create(
                                ops.require(ContextFunction.CREATE_SRQ_EX),
                                what,
                                pd.context().handle(),
                                init);
                var granted = SharedReceiveQueueAttributes.read(ibv_srq_init_attr_ex.attr(init));
                SharedReceiveQueue queue = Lifetime.orDestroy(
                        () -> new SharedReceiveQueue(pd, config, lifetime, srq, granted), () -> destroy(srq, name));
                pd.context().objects().add(srq, queue);
                return queue;
            }
        });
    }

    private static void destroy(MemorySegment handle, String name) {
        VerbsCall.destroy(Libibverbs.DESTROY_SRQ, handle, name);
    }

    private void room(int requests) {
        maxWr = requests;
        receives.setCapacities(requests, maxSge);
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
     * Its kind.
     *
     * @return the type
     */
    public SharedReceiveQueueType type() {
        return type;
    }

    /**
     * The number by which senders name a queue of an XRC domain: {@code ibv_get_srq_num}.
     *
     * @return 24 bits
     * @throws dev.isthmus.VerbsException if the call fails, as for a queue that has no number
     * @throws IllegalStateException if this is closed
     */
    public int srqNum() {
        try (var call = new VerbsCall(lifetime)) {
            MemorySegment number = call.allocateInt();
            call.check(pd.context().ops().require(ContextFunction.GET_SRQ_NUM), lifetime.name(), handle, number);
            return number.get(ValueLayout.JAVA_INT, 0);
        }
    }

    /**
     * Asks the device for the attributes: {@code ibv_query_srq}. Blocks for a system call.
     *
     * @return the attributes as they are now
     * @throws dev.isthmus.VerbsException if the call fails
     * @throws IllegalStateException if this is closed
     */
    public SharedReceiveQueueAttributes query() {
        try (var call = new VerbsCall(lifetime)) {
            MemorySegment attributes = call.allocate(ibv_srq_attr.layout());
            call.check(Libibverbs.QUERY_SRQ, lifetime.name(), handle, attributes);
            return SharedReceiveQueueAttributes.read(attributes);
        }
    }

    /**
     * Asks for an asynchronous event when fewer receives than this are outstanding: {@code ibv_modify_srq}. It arrives
     * once; then the limit is 0, and you can set it again. Blocks for a system call.
     *
     * @param requests how many, less than the queue has room for; 0 for no event
     * @throws IllegalArgumentException if it is negative or more than the queue has room for
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.VerbsException if the call fails
     */
    public void limit(int requests) {
        owner.check();
        if (requests < 0 || requests > maxWr) {
            throw new IllegalArgumentException(
                    "limit " + requests + " is not from 0 to " + maxWr + ", for which " + this + " has room");
        }
        modify(LIMIT, 0, requests, "limit=" + requests);
    }

    /**
     * Changes how many receives can be outstanding: {@code ibv_modify_srq}. Few devices can do it. Posted receives stay
     * posted. Blocks for a system call.
     *
     * @param requests how many; not fewer than are outstanding
     * @throws IllegalArgumentException if it is not positive
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.VerbsException if the call fails; the message compares with the limits of the device
     */
    public void resize(int requests) {
        owner.check();
        SharedReceiveQueueConfig.positive("maxWr", requests);
        modify(MAX_WR, requests, 0, "maxWr=" + requests);
        room(query().maxWr());
    }

    private void modify(int mask, int requests, int limit, String what) {
        try (var call = new VerbsCall(lifetime).explain(errno -> modifyHelp(errno, requests))) {
            MemorySegment attributes = call.allocate(ibv_srq_attr.layout());
            ibv_srq_attr.max_wr(attributes, requests);
            ibv_srq_attr.srq_limit(attributes, limit);
            call.check(Libibverbs.MODIFY_SRQ, lifetime.name() + ", " + what, handle, attributes, mask);
        }
    }

    private String modifyHelp(int errno, int requests) {
        int most = pd.context().attributes().maxSrqWr();
        if (requests > most) {
            return "the device allows maxWr=" + most;
        }
        return errno == Errno.EINVAL && requests > 0
                ? "the device cannot change the size of a queue, or not to less than is outstanding or its limit"
                : "";
    }

    /**
     * Posts a receive: {@code ibv_post_srq_recv}. Does not wait, allocates nothing. You can change the request and post
     * it again at once. Its buffers belong to the device until the receive has completed.
     *
     * @param request a request without another chained to it
     * @return false if the queue is full
     * @throws WrongThreadException if this or the request belongs to another thread
     * @throws IllegalStateException if this, a region of the request, or the arena of a region is closed
     * @throws IllegalArgumentException if the request has more buffers than the queue takes, another request chained to it,
     *     or a region of another protection domain
     * @throws dev.isthmus.VerbsException if the driver refuses the request, which is then not posted
     */
    @CheckReturnValue
    @HotPath
    public boolean tryPost(ReceiveRequest request) {
        return receives.tryPost(request);
    }

    /**
     * Posts a receive for which the program has counted the room: like {@link #tryPost(ReceiveRequest)}, but a full
     * queue is a mistake.
     *
     * @param request a request without another chained to it
     * @throws IllegalStateException also if the queue is full
     */
    @HotPath
    public void post(ReceiveRequest request) {
        if (!tryPost(request)) {
            throw new IllegalStateException(
                    this + " is full: poll the completions of its queue pairs first, or use tryPost");
        }
    }

    /**
     * Posts a chain of receives in one call: {@code ibv_post_srq_recv}. Otherwise like
     * {@link #tryPost(ReceiveRequest)}.
     *
     * @param first the first request; the others follow by {@link WorkRequest#next(WorkRequest)}
     * @return null if all were taken, otherwise the first one that was not, because the queue is full
     * @throws IllegalArgumentException if the chain is longer than the queue
     * @throws dev.isthmus.VerbsException if the driver refuses a request, with a message that says which; those before
     *     it are posted
     */
    @CheckReturnValue
    @HotPath
    public ReceiveRequest tryPostChain(ReceiveRequest first) {
        return receives.tryPostChain(first);
    }

    /**
     * Gives the queue to another thread: from now on only that one may post to it and close it. The caller must make
     * this visible to that thread like any other change, for example by starting the thread. If an owner has ended, the
     * queue belongs to the first thread that uses it.
     *
     * @param next the new owner
     * @throws NullPointerException if it is null
     * @throws WrongThreadException if this belongs to another thread than the caller
     * @throws IllegalStateException if this is closed
     */
    public void handOver(Thread next) {
        owner.handOver(next);
        receives.requireRecheck();
    }

    MemorySegment handle() {
        return handle;
    }

    Lifetime lifetime() {
        return lifetime;
    }

    /**
     * Destroys the queue: {@code ibv_destroy_srq}. Receives that are still posted are dropped without a completion.
     * Does nothing if it is closed already.
     *
     * @throws IllegalStateException if queue pairs use it
     * @throws WrongThreadException if this belongs to another thread
     * @throws dev.isthmus.VerbsException if the call fails; you can try again
     */
    @Override
    public void close() {
        owner.close(() -> {
            receives.requireRecheck();
            destroy(handle, lifetime.name());
            pd.context().objects().remove(handle, this);
        });
    }

    /** The class, the device's name, and the type. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
