// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.rss;

import dev.isthmus.CheckReturnValue;
import dev.isthmus.bindings.ibverbs.ibv_wq;
import dev.isthmus.bindings.ibverbs.ibv_wq_attr;
import dev.isthmus.bindings.ibverbs.ibv_wq_init_attr;
import dev.isthmus.internal.Codes;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.Natives;
import dev.isthmus.internal.OwnerThread;
import dev.isthmus.internal.verbs.ContextFunction;
import dev.isthmus.internal.verbs.ContextObjects;
import dev.isthmus.internal.verbs.ContextOps;
import dev.isthmus.internal.verbs.Receives;
import dev.isthmus.internal.verbs.VerbsCall;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.WorkRequest;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A receive queue apart from any queue pair: {@code struct ibv_wq}. A {@link ReceiveIndirectionTable} spreads the
 * packets of one queue pair over several of them.
 *
 * <p>It belongs to one thread at a time, at first the one that created it: see {@link #handOver}. The program that
 * creates it owns it. It cannot be closed while an indirection table uses it.
 */
public final class WorkQueue implements AutoCloseable {

    /** Bits of {@code enum ibv_wq_attr_mask}. */
    private static final int STATE = 1;

    private static final int FLAGS = 1 << 2;

    private final ProtectionDomain pd;
    private final Lifetime lifetime;
    private final OwnerThread owner;
    private final MemorySegment handle;
    private final int wqNum;
    private final Receives<ReceiveRequest> receives;
    private WorkQueueState state = WorkQueueState.RESET;

    private WorkQueue(ProtectionDomain pd, Lifetime lifetime, MemorySegment handle, MemorySegment granted) {
        this.pd = pd;
        this.lifetime = lifetime;
        this.owner = new OwnerThread(lifetime);
        this.handle = handle;
        MemorySegment wq = NativeCall.sized(handle, ibv_wq.sizeof());
        this.wqNum = ibv_wq.wq_num(wq);
        this.receives = receives(pd, this, ibv_wq.post_recv(wq), handle, granted);
    }

    @SuppressWarnings("unchecked") // verbs has one kind of receives
    private static Receives<ReceiveRequest> receives(
            ProtectionDomain pd, WorkQueue queue, MemorySegment function, MemorySegment handle, MemorySegment granted) {
        return (Receives<ReceiveRequest>) Natives.part(pd, Receives.Factory.class)
                .make(
                        "ibv_post_wq_recv",
                        queue,
                        queue.owner,
                        queue::checkReady,
                        function,
                        handle.address(),
                        ibv_wq_init_attr.max_wr(granted),
                        ibv_wq_init_attr.max_sge(granted));
    }

    /**
     * Creates a work queue: {@code ibv_create_wq}. It is in the state RESET and belongs to the calling thread.
     *
     * @param pd the domain of its receives' buffers
     * @param completions where its receives complete; of the same device
     * @param configure sets the capacities wanted; the device may grant more
     * @return the queue, which the caller closes before the domain and before the completion queue
     * @throws IllegalArgumentException if the completion queue is of another device
     * @throws IllegalStateException if the domain or the completion queue is closed
     * @throws dev.isthmus.VerbsException if the call fails, with EOPNOTSUPP if the device has no work queues
     */
    public static WorkQueue create(
            ProtectionDomain pd, CompletionQueue completions, Consumer<WorkQueueConfig> configure) {
        var config = new WorkQueueConfig();
        config.filling.by(configure, config);
        DeviceContext context = pd.context();
        if (Natives.part(completions, DeviceContext.class) != context) {
            throw new IllegalArgumentException(completions + " and " + pd + " must be of the same open device");
        }
        String name = context.device().name();
        var lifetime = new Lifetime("WorkQueue", name, Natives.lifetime(pd), Natives.lifetime(completions));
        return lifetime.open(() -> {
            try (var call = new VerbsCall()) {
                MemorySegment init = call.allocate(ibv_wq_init_attr.layout());
                config.write(pd, completions, init);
                var function = ops(context).require(ContextFunction.CREATE_WQ);
                MemorySegment wq = call.create(function, name + ", " + config, Natives.handle(context), init);
                WorkQueue queue = Lifetime.orDestroy(
                        () -> new WorkQueue(pd, lifetime, wq, init), () -> destroy(context, wq, name));
                Natives.part(context, ContextObjects.class).add(wq, queue);
                return queue;
            }
        });
    }

    private static ContextOps ops(DeviceContext context) {
        return Natives.part(context, ContextOps.class);
    }

    private static void destroy(DeviceContext context, MemorySegment handle, String name) {
        VerbsCall.destroy(ops(context).require(ContextFunction.DESTROY_WQ), handle, name);
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
     * Its number.
     *
     * @return 24 bits
     */
    public int wqNum() {
        return wqNum;
    }

    /**
     * The state to which it was last brought. An error can have brought it to ERR since.
     *
     * @return the state
     */
    public WorkQueueState state() {
        return state;
    }

    /**
     * Brings it to a state: {@code ibv_modify_wq}. Blocks for a system call.
     *
     * @param next the state
     * @throws IllegalArgumentException if it is UNKNOWN
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.VerbsException if the call fails, for example because the state cannot follow the present one
     */
    public void modify(WorkQueueState next) {
        if (next == WorkQueueState.UNKNOWN) {
            throw new IllegalArgumentException("UNKNOWN is no state to go to");
        }
        modify(STATE, next, 0, 0, state + " to " + next);
        state = next;
        receives.requireRecheck();
    }

    /**
     * Changes how it treats packets: {@code ibv_modify_wq}. Blocks for a system call.
     *
     * @param changed the flags to change
     * @param on those of them to set; the others are cleared
     * @throws IllegalArgumentException if a flag to set is not among those to change
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.VerbsException if the call fails, for example because the device cannot change a flag
     */
    public void modifyFlags(Set<WorkQueueFlag> changed, Set<WorkQueueFlag> on) {
        if (!changed.containsAll(on)) {
            throw new IllegalArgumentException("of " + on + " only those can be set that are changed: " + changed);
        }
        int flags = Codes.mask(on, WorkQueueFlag::code);
        modify(FLAGS, state, flags, Codes.mask(changed, WorkQueueFlag::code), changed + " to " + on);
    }

    private void modify(int what, WorkQueueState next, int flags, int flagsMask, String words) {
        owner.check();
        try (var call = new VerbsCall(lifetime)) {
            MemorySegment attributes = call.allocate(ibv_wq_attr.layout());
            ibv_wq_attr.attr_mask(attributes, what);
            ibv_wq_attr.wq_state(attributes, next.code());
            ibv_wq_attr.flags(attributes, flags);
            ibv_wq_attr.flags_mask(attributes, flagsMask);
            var function = ops(pd.context()).require(ContextFunction.MODIFY_WQ);
            call.check(function, this + ", " + words, handle, attributes);
        }
    }

    /**
     * Posts a receive: {@code ibv_post_wq_recv}. Does not wait, allocates nothing. You can change the request and post
     * it again at once. Its buffers belong to the device until the receive has completed.
     *
     * @param request a request without another chained to it
     * @return false if the queue is full
     * @throws WrongThreadException if this or the request belongs to another thread
     * @throws IllegalStateException if this, a region of the request, or the arena of a region is closed; or if the
     *     state is RESET
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
     * Posts a chain of receives in one call: {@code ibv_post_wq_recv}. Otherwise like {@link #tryPost}.
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

    private void checkReady() {
        if (state == WorkQueueState.RESET) {
            throw new IllegalStateException(this + " is in RESET: receives can be posted from RDY on");
        }
    }

    /**
     * Gives the queue to another thread: from now on only that one may post to it and close it. The caller must make
     * this visible to that thread like any other change, for example by starting the thread.
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
     * Destroys the queue: {@code ibv_destroy_wq}. Does nothing if it is closed already.
     *
     * @throws IllegalStateException if an indirection table uses it
     * @throws WrongThreadException if this belongs to another thread
     * @throws dev.isthmus.VerbsException if the call fails; you can try again
     */
    @Override
    public void close() {
        owner.close(() -> {
            receives.requireRecheck();
            destroy(pd.context(), handle, toString());
            Natives.part(pd.context(), ContextObjects.class).remove(handle, this);
        });
    }

    /** The class, the device's name, and the number. */
    @Override
    public String toString() {
        return "WorkQueue(" + lifetime.name() + ", wqNum " + wqNum + ")";
    }
}
