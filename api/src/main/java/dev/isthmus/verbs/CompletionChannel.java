// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.CheckReturnValue;
import dev.isthmus.bindings.ibverbs.ibv_comp_channel;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.EventSource;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.Natives;
import dev.isthmus.internal.verbs.DataPath;
import dev.isthmus.internal.verbs.Libibverbs;
import dev.isthmus.internal.verbs.VerbsCall;
import dev.isthmus.internal.verbs.VerbsErrors;
import dev.isthmus.loop.Source;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A completion channel: {@code struct ibv_comp_channel}. Threads wait here for completions instead of polling for them.
 * A completion queue that was created with the channel and {@linkplain CompletionQueue#requestNotify asked} to notify
 * sends one event for its next completion.
 *
 * <p>This order misses no completion: ask, then poll until the queue is empty, then wait.
 *
 * <pre>{@code
 * try (var channel = device.createCompletionChannel();
 *         var cq = device.createCompletionQueue(128, config -> config.channel(channel))) {
 *     cq.requestNotify(false);
 *     while (running) {
 *         while (cq.poll(done) > 0) {
 *             handle(done);
 *         }
 *         channel.await(); // a completion since the last request ends this at once
 *         cq.requestNotify(false);
 *     }
 * }
 * }</pre>
 *
 * <p>An event stands for one completion or more, or for none that is still there. Events are acknowledged in batches,
 * and before their queue is destroyed, so closing a queue waits for nobody.
 *
 * <p>Any thread may use it, and several at once: each event goes to one of them. The program that creates it owns it,
 * and closes it after its completion queues.
 */
public final class CompletionChannel implements Source<CompletionQueue>, AutoCloseable {

    static {
        Natives.of(CompletionChannel.class)
                .exposes(Lifetime.class, CompletionChannel::lifetime)
                .exposes(EventSource.class, channel -> channel.source);
    }

    private final DeviceContext context;
    private final Lifetime lifetime;
    private final MemorySegment handle;
    private final EventSource source;
    private final Supplier<CompletionQueue> take = this::take;

    /** Held from when C reports an event until it is counted, and while a queue is destroyed, but never in a wait. */
    private final ReentrantLock events = new ReentrantLock();

    /** Receives the queue of an event, its context, and errno. Guarded by the lock. */
    private final MemorySegment event = Arena.ofAuto().allocate(ADDRESS, 2);

    private final MemorySegment errno = NativeCall.allocateErrno(Arena.ofAuto());

    /** The queue of the event before, so that a channel of one queue looks for it once. Guarded by the lock. */
    private CompletionQueue last;

    private CompletionChannel(DeviceContext context, Lifetime lifetime, MemorySegment handle) {
        this.context = context;
        this.lifetime = lifetime;
        this.handle = handle;
        this.source =
                new EventSource(lifetime, ibv_comp_channel.fd(NativeCall.sized(handle, ibv_comp_channel.sizeof())));
    }

    static CompletionChannel create(DeviceContext context) {
        String name = context.device().name();
        var lifetime = new Lifetime("CompletionChannel", name, context.lifetime());
        return lifetime.open(() -> {
            try (var call = new VerbsCall()) {
                MemorySegment handle = call.create(Libibverbs.CREATE_COMP_CHANNEL, name, context.handle());
                return Lifetime.orDestroy(
                        () -> new CompletionChannel(context, lifetime, handle), () -> destroy(handle, name));
            }
        });
    }

    private static void destroy(MemorySegment handle, String name) {
        VerbsCall.destroy(Libibverbs.DESTROY_COMP_CHANNEL, handle, name);
    }

    /**
     * Waits for an event: {@code ibv_get_cq_event}.
     *
     * @param timeout how long; zero or less does not wait
     * @return the queue that sent it, which sends none for its next completion until you ask again; null if the time is
     *     over, or after {@link #wakeup}
     * @throws InterruptedException if the thread is interrupted before or while it waits; no event is lost
     * @throws IllegalStateException if this is closed, before or meanwhile
     * @throws dev.isthmus.VerbsException if the call fails
     */
    @CheckReturnValue
    public CompletionQueue await(Duration timeout) throws InterruptedException {
        return source.await(timeout, take);
    }

    /**
     * Waits for an event without limit: {@code ibv_get_cq_event}.
     *
     * @return the queue that sent it, which sends none for its next completion until you ask again; null after
     *     {@link #wakeup}
     * @throws InterruptedException if the thread is interrupted before or while it waits; no event is lost
     * @throws IllegalStateException if this is closed, before or meanwhile
     * @throws dev.isthmus.VerbsException if the call fails
     */
    public CompletionQueue await() throws InterruptedException {
        return source.await(EventSource.FOREVER, take);
    }

    /**
     * Takes an event, if there is one: {@code ibv_get_cq_event}. Does not block.
     *
     * @return the queue that sent it, which sends none for its next completion until you ask again; null if there is
     *     no event
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.VerbsException if the call fails
     */
    @Override
    @CheckReturnValue
    public CompletionQueue poll() {
        return source.poll(take);
    }

    /**
     * Ends the current wait of one thread, or else the next wait; that wait returns null. Does not block.
     *
     * @throws IllegalStateException if this is closed
     */
    public void wakeup() {
        lifetime.check();
        source.wakeup();
    }

    /**
     * A descriptor that is readable while there are events: {@code fd} of {@code struct ibv_comp_channel}. Use it only
     * for {@code poll} and {@code epoll}. It belongs to the channel, which closes it.
     *
     * @return the number of the file descriptor
     * @throws IllegalStateException if this is closed
     */
    @Override
    public int fileDescriptor() {
        return source.fileDescriptor();
    }

    /**
     * The device that it belongs to.
     *
     * @return the open device
     */
    public DeviceContext context() {
        return context;
    }

    private CompletionQueue take() {
        events.lock();
        try {
            int result = DataPath.getCqEvent(errno, handle.address(), event.address());
            if (result != 0) {
                return nothing(NativeCall.errnoOf(errno));
            }
            CompletionQueue queue = queueAt(event.get(JAVA_LONG, 0));
            queue.eventTaken();
            return queue;
        } finally {
            events.unlock();
        }
    }

    private CompletionQueue queueAt(long address) {
        if (last == null || last.handle().address() != address) {
            last = context.objects().find(CompletionQueue.class, MemorySegment.ofAddress(address));
        }
        return last;
    }

    private CompletionQueue nothing(int error) {
        if (error == Errno.EAGAIN || error == Errno.EINTR) {
            return null;
        }
        throw VerbsErrors.failure("ibv_get_cq_event", lifetime.name(), error, "");
    }

    /**
     * Destroys a queue whose events come here. C would wait for missing acknowledgements. But under the lock no event
     * is taken, and every taken event is acknowledged. The kernel drops the others.
     */
    void destroy(CompletionQueue queue, Runnable destroy) {
        events.lock();
        try {
            queue.acknowledgeEvents();
            last = null; // the next queue may have the same address
            destroy.run();
        } finally {
            events.unlock();
        }
    }

    MemorySegment handle() {
        return handle;
    }

    Lifetime lifetime() {
        return lifetime;
    }

    /**
     * Destroys the channel: {@code ibv_destroy_comp_channel}. Every thread that waits here gets an
     * IllegalStateException. Does nothing if it is closed already.
     *
     * @throws IllegalStateException if completion queues use it
     * @throws dev.isthmus.VerbsException if the call fails; you can try again
     */
    @Override
    public void close() {
        lifetime.close(() -> {
            source.shut();
            destroy(handle, lifetime.name());
        });
    }

    /** The class and the device's name. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
