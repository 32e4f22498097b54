package dev.isthmus.verbs;

import dev.isthmus.VerbsException;
import dev.isthmus.bindings.ibverbs.ibv_cq;
import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.OwnerThread;
import dev.isthmus.internal.verbs.DataPath;
import dev.isthmus.internal.verbs.Libibverbs;
import dev.isthmus.internal.verbs.VerbsCall;
import java.lang.foreign.MemorySegment;

/**
 * A completion queue: {@code struct ibv_cq}. Work requests of the queue pairs that were made with it complete here.
 *
 * <p>It belongs to one thread at a time, at first the one that created it: see {@link #handOver}. Owned by who created
 * it. It cannot be closed while it has queue pairs.
 */
public final class CompletionQueue implements AutoCloseable {

    private final DeviceContext context;
    private final Lifetime lifetime;
    private final OwnerThread owner;
    private final MemorySegment handle;
    private final long address;
    private final MemorySegment pollFunction;
    private final int entries;

    private CompletionQueue(DeviceContext context, Lifetime lifetime, MemorySegment handle) {
        this.context = context;
        this.lifetime = lifetime;
        this.owner = new OwnerThread(lifetime);
        this.handle = handle;
        this.address = handle.address();
        this.pollFunction = context.ops().pollCq();
        this.entries = ibv_cq.cqe(NativeCall.sized(handle, ibv_cq.sizeof()));
    }

    static CompletionQueue create(DeviceContext context, int entries) {
        if (entries < 1) {
            throw new IllegalArgumentException("a completion queue needs at least 1 entry, not " + entries);
        }
        String name = context.device().name() + ", " + entries + " entries";
        var lifetime = new Lifetime("CompletionQueue", name, context.lifetime());
        MemorySegment handle = lifetime.open(() -> {
            try (var call = new VerbsCall().explain(errno -> help(context, entries))) {
                MemorySegment none = MemorySegment.NULL;
                return call.create(Libibverbs.CREATE_CQ, name, context.handle(), entries, none, none, 0);
            }
        });
        var queue = new CompletionQueue(context, lifetime, handle);
        context.objects().add(handle, queue);
        return queue;
    }

    private static String help(DeviceContext context, int entries) {
        int max = context.attributes().maxCqe();
        return entries > max ? "the device allows " + max + " entries" : "";
    }

    /**
     * Takes completions off the queue: {@code ibv_poll_cq}. Does not block, allocates nothing.
     *
     * @param into receives as many as there are and it has room for; what it held before is gone
     * @return how many it received, 0 when there were none
     * @throws WrongThreadException if this belongs to another thread
     * @throws IllegalStateException if this is closed
     * @throws VerbsException if the queue is broken; completions may be lost
     */
    @HotPath
    public int poll(WorkCompletions into) {
        owner.check();
        int count = DataPath.poll(pollFunction, address, into.capacity(), into.address());
        into.received(Math.max(0, count)); // also keeps the array from being collected during the call
        if (count < 0) {
            throw broken(count);
        }
        return count;
    }

    private VerbsException broken(int result) {
        // The drivers' numbers are their own: none is an errno.
        return VerbsException.ofResult(
                "ibv_poll_cq",
                lifetime.name(),
                result,
                "the device wrote a completion that its driver cannot read; the queue is of no more use");
    }

    /**
     * How many completions it has room for.
     *
     * @return the number of entries that the device granted, not fewer than asked for
     */
    public int entries() {
        return entries;
    }

    /**
     * Gives the queue to another thread: only that one may poll and close it from here on. The caller makes this
     * visible to that thread as it would any change, such as by starting it. When an owner has ended, the queue falls
     * to the first thread that uses it.
     *
     * @param next the new owner
     * @throws NullPointerException if there is none
     * @throws WrongThreadException if this belongs to another thread than the caller
     * @throws IllegalStateException if this is closed
     */
    public void handOver(Thread next) {
        owner.handOver(next);
    }

    DeviceContext context() {
        return context;
    }

    MemorySegment handle() {
        return handle;
    }

    Lifetime lifetime() {
        return lifetime;
    }

    /**
     * Destroys the queue: {@code ibv_destroy_cq}. Does nothing when it is closed already.
     *
     * @throws IllegalStateException if queue pairs use it
     * @throws WrongThreadException if this belongs to another thread
     * @throws VerbsException if the call fails; it can be tried again
     */
    @Override
    public void close() {
        owner.close(() -> {
            VerbsCall.destroy(Libibverbs.DESTROY_CQ, handle, lifetime.name());
            context.objects().remove(handle, this);
        });
    }

    /** The class, the device's name, and the number of entries asked for. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
