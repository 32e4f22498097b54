// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.CheckReturnValue;
import dev.isthmus.VerbsException;
import dev.isthmus.bindings.ibverbs.ibv_cq;
import dev.isthmus.bindings.ibverbs.ibv_moderate_cq;
import dev.isthmus.bindings.ibverbs.ibv_modify_cq_attr;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.Natives;
import dev.isthmus.internal.OwnerThread;
import dev.isthmus.internal.mlx5.CompletionRing;
import dev.isthmus.internal.mlx5.Mlx5Library;
import dev.isthmus.internal.mlx5.NotDirect;
import dev.isthmus.internal.verbs.CompletionQueueFactory;
import dev.isthmus.internal.verbs.ContextFunction;
import dev.isthmus.internal.verbs.DataPath;
import dev.isthmus.internal.verbs.Libibverbs;
import dev.isthmus.internal.verbs.VerbsCall;
import dev.isthmus.internal.verbs.VerbsErrors;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A completion queue: {@code struct ibv_cq}. Work requests of the queue pairs created with it complete here.
 *
 * <p>It belongs to one thread at a time, at first the one that created it: see {@link #handOver}. The program that
 * creates it owns it. It cannot be closed while it has queue pairs.
 *
 * <p>If more requests complete than it has room for, it overruns: completions are lost, the device sends
 * {@link AsyncEventType#CQ_ERR} to {@link DeviceContext#asyncEvents}, and the queue pairs fail. Isthmus warns when queue
 * pairs are created that may do so: {@link CompletionQueueConfig#sizeUnchecked}.
 */
public final class CompletionQueue implements AutoCloseable {

    static {
        Natives.of(CompletionQueue.class)
                .exposes(MemorySegment.class, CompletionQueue::handleForOthers)
                .exposes(Lifetime.class, CompletionQueue::lifetime)
                .exposes(DeviceContext.class, CompletionQueue::context)
                .exposes(OwnerThread.class, CompletionQueue::owner);
    }

    /** How many events are acknowledged at a time: each acknowledgement takes a lock in C. */
    private static final int ACKNOWLEDGED_TOGETHER = 64;

    /** {@code IBV_CQ_ATTR_MODERATE}. */
    private static final int MODERATE = 1;

    private static final int MAX_16_BITS = 0xffff;

    private final DeviceContext context;
    private final CompletionChannel channel; // null if it has none
    private final Lifetime lifetime;
    private final OwnerThread owner;
    private final MemorySegment handle;
    private final long address;
    private final MemorySegment pollFunction;
    private final int maxShortPoll;
    private final CompletionQueueFactory factory; // null for verbs itself
    private final boolean checksThreadOnly; // whether a poll needs to check only the thread
    private long pollerId; // the owner's id once it may poll quickly; 0 if that must be checked again
    private final MemorySegment notifyFunction;
    private final CapacityCheck capacityCheck;
    private int entries;
    private int unacknowledged; // events; guarded by the channel's lock
    private String notDirect; // why Java cannot poll it; null if it can, or does
    private volatile CompletionRing ring; // its entries if Java polls it, otherwise null
    private long directPollerId; // like pollerId, if Java polls it

    private CompletionQueue(
            DeviceContext context, CompletionQueueConfig config, Lifetime lifetime, MemorySegment handle) {
        this.context = context;
        this.channel = config.channel();
        this.factory = config.factory();
        this.lifetime = lifetime;
        this.owner = new OwnerThread(lifetime);
        this.handle = handle;
        this.address = handle.address();
        this.pollFunction = context.ops().pollCq();
        this.maxShortPoll = DataPath.maxShortPoll(pollFunction);
        this.checksThreadOnly = maxShortPoll > 0 && factory == null; // other kinds of queues can have an open poll
        this.notifyFunction = context.ops().requestNotify();
        this.entries = readEntries();
        this.capacityCheck = new CapacityCheck(this, config.sizeChecked());
        if (factory != null) {
            notDirect = "its completion queue is an extended one";
        } else if (!config.isDirect()) {
            notDirect = "the configuration of its completion queue says so";
        }
    }

    CapacityCheck capacityCheck() {
        return capacityCheck;
    }

    private int readEntries() {
        return ibv_cq.cqe(NativeCall.sized(handle, ibv_cq.sizeof()));
    }

    static CompletionQueue create(DeviceContext context, int entries, CompletionQueueConfig config) {
        config.check(context, entries);
        CompletionQueueFactory factory = config.factory();
        String name = context.device().name() + ", " + entries + " entries";
        var lifetime =
                new Lifetime(factory == null ? "CompletionQueue" : factory.kind(), name, config.parents(context));
        return lifetime.open(() -> {
            try (var call = new VerbsCall().explain(errno -> help(context, entries, factory, errno))) {
                MemorySegment handle = factory == null
                        ? call.create(
                                Libibverbs.CREATE_CQ,
                                name,
                                context.handle(),
                                entries,
                                MemorySegment.NULL,
                                config.channelHandle(),
                                config.vector())
                        : factory.create(call, name, config.channelHandle(), config.vector());
                CompletionQueue queue = Lifetime.orDestroy(
                        () -> new CompletionQueue(context, config, lifetime, handle),
                        () -> VerbsCall.destroy(Libibverbs.DESTROY_CQ, handle, name));
                context.objects().add(handle, queue);
                return queue;
            }
        });
    }

    private static String help(DeviceContext context, int entries, CompletionQueueFactory factory, int errno) {
        String help = sizeHelp(context, entries);
        return help.isEmpty() && factory != null ? factory.help(errno) : help;
    }

    private static String sizeHelp(DeviceContext context, int entries) {
        int max = context.attributes().maxCqe();
        return entries > max ? "the device allows " + max + " entries" : "";
    }

    /**
     * Takes completions off the queue: {@code ibv_poll_cq}. Does not block, allocates nothing.
     *
     * @param into receives as many as it has room for; what it held before is gone
     * @return how many it received, 0 if there were none
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if this is closed, or between {@code startPoll} and {@code endPoll} of a
     *     {@link dev.isthmus.verbs.cqex.ExtendedCompletionQueue}
     * @throws VerbsException if the queue is broken; completions may be lost
     */
    @CheckReturnValue
    @HotPath
    public int poll(WorkCompletions into) {
        if (OwnerThread.isOther(pollerId)) {
            return pollCarefully(into);
        }
        into.received(0); // before the call, as most polls find nothing
        int count;
        try {
            count = DataPath.shortPoll(address, into.shortCapacity(), into.address());
        } finally {
            Reference.reachabilityFence(into); // the array must not be collected during the call
        }
        return count == 0 ? 0 : found(into, count);
    }

    @HotPath
    private int found(WorkCompletions into, int count) {
        if (count < 0 || count >= DataPath.MAX_CRITICAL_BATCH) { // one comparison: docs/instructions.md
            return pollOn(into, count);
        }
        into.received(count);
        return count;
    }

    @HotPath
    private int pollCarefully(WorkCompletions into) {
        if (OwnerThread.isOther(directPollerId)) {
            return pollMoreCarefully(into);
        }
        return pollRing(into);
    }

    @HotPath
    private int pollMoreCarefully(WorkCompletions into) {
        owner.check();
        if (ring != null) {
            directPollerId = OwnerThread.callerId();
            return pollRing(into);
        }
        checkNoOpenPoll();
        if (checksThreadOnly) {
            pollerId = OwnerThread.callerId();
        }
        return pollOn(into, 0);
    }

    /** Takes completions without a call of C. */
    @HotPath
    private int pollRing(WorkCompletions into) {
        int count;
        try {
            count = ring.poll(into.capacity(), into.address());
        } finally {
            Reference.reachabilityFence(into); // the array must not be collected meanwhile
        }
        if (count < 0) {
            into.received(0);
            throw broken("poll of a direct completion queue", count);
        }
        into.received(count);
        return count;
    }

    /** The entries, if Java polls them; otherwise null. */
    CompletionRing ring() {
        return ring;
    }

    /**
     * Checks that Java polls it, or can.
     *
     * @throws NotDirect if not
     */
    void checkDirect() throws NotDirect {
        if (ring != null) {
            return;
        }
        if (notDirect != null) {
            throw new NotDirect(notDirect);
        }
        if (!owner.isCurrent()) { // who may be polling it at this moment
            throw new NotDirect("its completion queue, which has had no queue pair yet, belongs to another thread");
        }
    }

    /** Takes it from libmlx5 unless Java polls it already. */
    CompletionRing pollByJava(Mlx5Library library) throws NotDirect {
        if (ring == null) {
            ring = CompletionRing.of(library, handle, entries);
            pollerId = 0;
        }
        return ring;
    }

    /** Leaves it to the driver for good, as the driver knows of something that Java would not. */
    void leaveToDriver(String why) {
        if (ring == null && notDirect == null) {
            notDirect = why;
        }
    }

    /** Takes more completions, after those that are there. */
    @HotPath
    private int pollOn(WorkCompletions into, int before) {
        int count = before;
        if (count >= 0 && count < into.capacity()) {
            int more = DataPath.poll(pollFunction, maxShortPoll, address, into.capacity() - count, into.address(count));
            count = more < 0 ? more : count + more;
        }
        if (count < 0) {
            into.received(0);
            throw broken("ibv_poll_cq", count);
        }
        into.received(count); // also keeps the array from being collected during the call
        return count;
    }

    private VerbsException broken(String call, int result) {
        // Drivers return numbers of their own, not an errno.
        return VerbsException.ofResult(
                call,
                lifetime.name(),
                result,
                "the device wrote a completion that its driver cannot read; the queue is of no more use");
    }

    /**
     * Asks for one event on the channel when the next completion arrives: {@code ibv_req_notify_cq}. Completions that
     * arrived before send none: poll after this and before waiting, see {@link CompletionChannel}. Does not block,
     * allocates nothing.
     *
     * @param solicitedOnly whether only a completion with an error, or a receive whose sender asked for it by
     *     {@link SendRequest#solicited}, sends the event
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if this is closed, or was made without a channel
     * @throws VerbsException if the call fails
     */
    @HotPath
    public void requestNotify(boolean solicitedOnly) {
        owner.check();
        if (channel == null) {
            throw new IllegalStateException(this + " was made without a completion channel");
        }
        if (ring != null) {
            ring.requestNotify(solicitedOnly);
            return;
        }
        int errno = DataPath.requestNotify(notifyFunction, address, solicitedOnly ? 1 : 0);
        if (errno != 0) {
            throw VerbsErrors.failure("ibv_req_notify_cq", lifetime.name(), Math.abs(errno), "");
        }
    }

    /**
     * Changes its room for completions: {@code ibv_resize_cq}. Completions in the queue stay there. Blocks for a
     * system call.
     *
     * @param atLeast the number of entries wanted
     * @throws IllegalArgumentException if it is not positive
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if this is closed, or in an open poll, or has
     *     {@linkplain QueuePairConfig#direct direct} queue pairs
     * @throws VerbsException if the call fails, for example because the device allows fewer entries or cannot resize,
     *     or the queue holds more completions
     */
    public void resize(int atLeast) {
        owner.check();
        checkNoOpenPoll();
        if (atLeast < 1) {
            throw new IllegalArgumentException("a completion queue needs at least 1 entry, not " + atLeast);
        }
        if (ring != null) {
            throw new IllegalStateException(
                    this + " has direct queue pairs, and cannot be resized: create it with direct(false)");
        }
        leaveToDriver("its completion queue was resized");
        try (var call = new VerbsCall(lifetime).explain(errno -> resizeHelp(errno, atLeast))) {
            call.check(Libibverbs.RESIZE_CQ, lifetime.name() + " to " + atLeast, handle, atLeast);
        }
        entries = readEntries();
    }

    private String resizeHelp(int errno, int atLeast) {
        String help = sizeHelp(context, atLeast);
        return help.isEmpty() && errno == Errno.EINVAL ? "it may hold more completions than that: poll first" : help;
    }

    /**
     * Lets several completions share an event: {@code ibv_modify_cq}. Blocks for a system call.
     *
     * @param count how many completions send an event; 0 and 1 for each
     * @param periodMicros after how many microseconds fewer completions send one, too
     * @throws IllegalArgumentException if one of them is negative or above 65535
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if this is closed
     * @throws VerbsException if the call fails, for example with EOPNOTSUPP if the device cannot do it
     */
    public void moderate(int count, int periodMicros) {
        owner.check();
        if ((count | periodMicros) < 0 || count > MAX_16_BITS || periodMicros > MAX_16_BITS) {
            throw new IllegalArgumentException(
                    "count and period must be from 0 to 65535: " + count + ", " + periodMicros);
        }
        try (var call = new VerbsCall(lifetime)) {
            MemorySegment attributes = call.allocate(ibv_modify_cq_attr.layout());
            MemorySegment moderate = ibv_modify_cq_attr.moderate(attributes);
            ibv_modify_cq_attr.attr_mask(attributes, MODERATE);
            ibv_moderate_cq.cq_count(moderate, (short) count);
            ibv_moderate_cq.cq_period(moderate, (short) periodMicros);
            String what = lifetime.name() + ", count=" + count + ", period=" + periodMicros + " us";
            call.check(context.ops().require(ContextFunction.MODIFY_CQ), what, handle, attributes);
        }
    }

    /**
     * The queue pair of a completion, and with it what the program has {@linkplain QueuePair#attach attached}. Any
     * thread may call this. Calls no C function, takes no lock, and allocates nothing.
     *
     * {@snippet :
     * QueuePair from = cq.queuePair(done.qpNum(i));
     * if (from != null) { // null: it was closed, and this completion is left over
     *     ((Client) from.attachment()).completed(done, i);
     * }
     * }
     *
     * <p>Some drivers leave completions of a closed queue pair in the queue. If the device gives its number to the
     * next queue pair, they seem to belong to that one. {@link QueuePair#drain}, before you close a queue pair,
     * removes them.
     *
     * @param qpNum what {@link WorkCompletions#qpNum} returned
     * @return the open queue pair of this device with this number; null if there is none
     */
    @HotPath
    public QueuePair queuePair(int qpNum) {
        return context.queuePairs().find(qpNum);
    }

    /**
     * Its room for completions.
     *
     * @return the number of entries that the device granted, not fewer than asked for
     */
    public int entries() {
        return entries;
    }

    /**
     * The channel to which it sends events.
     *
     * @return the channel; null if it was created without one
     */
    public CompletionChannel channel() {
        return channel;
    }

    /**
     * Gives the queue to another thread: from now on only that one may poll and close it. The caller must make this
     * visible to that thread like any other change, for example by starting the thread. If an owner has ended, the
     * queue belongs to the first thread that uses it.
     *
     * @param next the new owner
     * @throws NullPointerException if it is null
     * @throws WrongThreadException if this belongs to another thread than the caller
     * @throws IllegalStateException if this is closed, or in an open poll
     */
    public void handOver(Thread next) {
        checkNoOpenPoll();
        owner.handOver(next);
        forgetPoller();
    }

    /**
     * Gives the queue to whichever thread holds a lock: threads that take the lock use this in turn. Otherwise like
     * {@link #handOver}.
     *
     * <p>Always hold the lock when you use it. A thread without the lock is refused once another thread has used this,
     * but not before: until then both would use it at once, and the process may end.
     *
     * @param lock the thread that holds it may use this
     * @throws NullPointerException if it is null
     * @throws WrongThreadException if this belongs to another thread than the caller
     * @throws IllegalStateException if this is closed, or in an open poll
     */
    public void shareUnder(ReentrantLock lock) {
        checkNoOpenPoll();
        owner.shareUnder(lock);
        forgetPoller();
    }

    private void forgetPoller() {
        pollerId = 0;
        directPollerId = 0;
    }

    /** Refuses a call that would wait forever for a poll that this thread has begun and not ended. */
    @HotPath
    void checkNoOpenPoll() {
        if (factory != null) {
            factory.checkNoOpenPoll();
        }
    }

    DeviceContext context() {
        return context;
    }

    /** The C object for something other than a queue pair that completes in it, such as a work queue. */
    MemorySegment handleForOthers() {
        if (ring != null) {
            throw new IllegalArgumentException(this + " has direct queue pairs, and takes nothing else: create another"
                    + " completion queue, with direct(false)");
        }
        leaveToDriver("its completion queue has other completions");
        return handle;
    }

    MemorySegment handle() {
        return handle;
    }

    Lifetime lifetime() {
        return lifetime;
    }

    OwnerThread owner() {
        return owner;
    }

    /** Counts an event taken from the channel. */
    void eventTaken() {
        if (ring != null) {
            ring.eventTaken();
        }
        if (++unacknowledged == ACKNOWLEDGED_TOGETHER) {
            acknowledgeEvents();
        }
    }

    void acknowledgeEvents() {
        if (unacknowledged > 0) {
            DataPath.ackCqEvents(address, unacknowledged);
            unacknowledged = 0;
        }
    }

    /**
     * Destroys the queue: {@code ibv_destroy_cq}. Its events that were not taken are lost. Does nothing if it is
     * closed already.
     *
     * @throws IllegalStateException if queue pairs use it, or in an open poll
     * @throws WrongThreadException if this belongs to another thread
     * @throws VerbsException if the call fails; you can try again
     */
    @Override
    public void close() {
        owner.close(() -> {
            checkNoOpenPoll();
            forgetPoller();
            if (channel == null) {
                destroy();
            } else {
                channel.destroy(this, this::destroy);
            }
            context.objects().remove(handle, this);
        });
    }

    private void destroy() {
        VerbsCall.destroy(Libibverbs.DESTROY_CQ, handle, lifetime.name());
    }

    /** The class, the device's name, and the number of entries asked for. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
