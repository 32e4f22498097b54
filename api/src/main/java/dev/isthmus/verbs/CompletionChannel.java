// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static java.lang.foreign.ValueLayout.ADDRESS;

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
 * A completion channel: {@code struct ibv_comp_channel}. Threads wait here for completions rather than poll for them: a
 * completion queue that was made with the channel and {@linkplain CompletionQueue#requestNotify asked} to notify sends
 * one event for its next completion.
 *
 * <p>No completion is missed in this order: ask, then poll until the queue is empty, then wait.
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
 * <p>An event is for one completion or more, or for none that is still there. Events are acknowledged in batches, and
 * before their queue is destroyed, so that closing a queue waits for nobody.
 *
 * <p>Any thread may use it, and several at once: each event goes to one of them. Owned by who created it, and closed
 * after its completion queues.
 */
public final class CompletionChannel implements Source<CompletionQueue>, AutoCloseable {

    static {
        Natives.of(CompletionChannel.class)
                .has(Lifetime.class, CompletionChannel::lifetime)
                .has(EventSource.class, channel -> channel.source);
    }

    private final DeviceContext context;
    private final Lifetime lifetime;
    private final MemorySegment handle;
    private final EventSource source;
    private final Supplier<CompletionQueue> take = this::take;

    /** Held from when C tells of an event until it is counted, and while a queue is destroyed, but never in a wait. */
    private final ReentrantLock events = new ReentrantLock();

    /** Where C puts the queue of an event and its context, and errno. Guarded by the lock. */
    private final MemorySegment event = Arena.ofAuto().allocate(ADDRESS, 2);

    private final MemorySegment errno = NativeCall.allocateErrno(Arena.ofAuto());

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
     * @return the queue that sent it, whose next completion sends none until asked for; null when the time is over, or
     *     after {@link #wakeup}
     * @throws InterruptedException if the thread is interrupted before or while it waits; no event is lost
     * @throws IllegalStateException if this is closed, before or meanwhile
     * @throws dev.isthmus.VerbsException if the call fails
     */
    @CheckReturnValue
    public CompletionQueue await(Duration timeout) throws InterruptedException {
        return source.await(timeout, take);
    }

    /**
     * Waits for an event as long as it takes: {@code ibv_get_cq_event}.
     *
     * @return the queue that sent it, whose next completion sends none until asked for; null after {@link #wakeup}
     * @throws InterruptedException if the thread is interrupted before or while it waits; no event is lost
     * @throws IllegalStateException if this is closed, before or meanwhile
     * @throws dev.isthmus.VerbsException if the call fails
     */
    public CompletionQueue await() throws InterruptedException {
        return source.await(EventSource.FOREVER, take);
    }

    /**
     * Takes an event if there is one: {@code ibv_get_cq_event}. Does not block.
     *
     * @return the queue that sent it, whose next completion sends none until asked for; null when there is no event
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.VerbsException if the call fails
     */
    @Override
    @CheckReturnValue
    public CompletionQueue poll() {
        return source.poll(take);
    }

    /**
     * Ends a wait for an event, with null: that of a thread which waits now or, if none does, the next one. Does not block.
     *
     * @throws IllegalStateException if this is closed
     */
    public void wakeup() {
        lifetime.check();
        source.wakeup();
    }

    /**
     * A descriptor that is readable while there are events: {@code fd} of {@code struct ibv_comp_channel}. For
     * {@code poll} and {@code epoll} only; it belongs to the channel, and is gone when that is closed.
     *
     * @return the number of the file descriptor
     * @throws IllegalStateException if this is closed
     */
    @Override
    public int fileDescriptor() {
        return source.fileDescriptor();
    }

    /**
     * The device that it is of.
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
            CompletionQueue queue = context.objects().find(CompletionQueue.class, event.get(ADDRESS, 0));
            queue.eventTaken();
            return queue;
        } finally {
            events.unlock();
        }
    }

    private CompletionQueue nothing(int error) {
        if (error == Errno.EAGAIN || error == Errno.EINTR) {
            return null;
        }
        throw VerbsErrors.failure("ibv_get_cq_event", lifetime.name(), error, "");
    }

    /**
     * Destroys a queue whose events come here. C would wait for acknowledgements: under the lock every event that was
     * taken is acknowledged, and none is taken; those that were not are dropped by the kernel.
     */
    void destroy(CompletionQueue queue, Runnable destroy) {
        events.lock();
        try {
            queue.acknowledgeEvents();
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
     * Destroys the channel: {@code ibv_destroy_comp_channel}. Ends the wait of every thread that waits here, with an
     * IllegalStateException. Does nothing when it is closed already.
     *
     * @throws IllegalStateException if completion queues use it
     * @throws dev.isthmus.VerbsException if the call fails; it can be tried again
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
