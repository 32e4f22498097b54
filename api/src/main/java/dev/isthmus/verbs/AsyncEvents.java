// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.CheckReturnValue;
import dev.isthmus.bindings.ibverbs.ibv_async_event;
import dev.isthmus.bindings.ibverbs.ibv_context;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.EventSource;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.Natives;
import dev.isthmus.internal.verbs.ContextObjects;
import dev.isthmus.internal.verbs.Libibverbs;
import dev.isthmus.internal.verbs.VerbsCall;
import dev.isthmus.loop.Source;
import java.lang.foreign.MemorySegment;
import java.time.Duration;

/**
 * The events of an open device other than completions: {@code ibv_get_async_event}. They wait in the kernel until you
 * take them. Each is acknowledged when it is taken, so closing an object waits for none of them. Events that you have
 * not taken when their object is closed are lost.
 *
 * <pre>{@code
 * switch (device.asyncEvents().await()) {
 *     case AsyncEvent.OfQueuePair(var d, var type, var qp) -> log(type + " on " + qp);
 *     case AsyncEvent.OfPort(var d, var type, int port) -> log(type + " on port " + port);
 *     case AsyncEvent other -> log(other.toString());
 * }
 * }</pre>
 *
 * <p>Any thread may use it, and several at once: each event goes to one of them. It is usable while the device is open.
 */
public final class AsyncEvents implements Source<AsyncEvent> {

    static {
        Natives.of(AsyncEvents.class).exposes(EventSource.class, events -> events.source);
    }

    private final DeviceContext context;
    private final MemorySegment handle;
    private final EventSource source;

    AsyncEvents(DeviceContext context, Lifetime lifetime, MemorySegment handle) {
        this.context = context;
        this.handle = handle;
        this.source = new EventSource(lifetime, ibv_context.async_fd(NativeCall.sized(handle, ibv_context.sizeof())));
    }

    /**
     * Waits for an event: {@code ibv_get_async_event}, {@code ibv_ack_async_event}.
     *
     * @param timeout how long; zero or less does not wait
     * @return the event; null if the time is over
     * @throws InterruptedException if the thread is interrupted before or while it waits
     * @throws IllegalStateException if the device is closed, before or meanwhile
     * @throws dev.isthmus.VerbsException if the call fails, for example with EIO if the device is gone
     */
    @CheckReturnValue
    public AsyncEvent await(Duration timeout) throws InterruptedException {
        return source.await(timeout, this::take);
    }

    /**
     * Waits for an event without limit.
     *
     * @return the event
     * @throws InterruptedException if the thread is interrupted before or while it waits
     * @throws IllegalStateException if the device is closed, before or meanwhile
     * @throws dev.isthmus.VerbsException if the call fails, for example with EIO if the device is gone
     */
    @CheckReturnValue
    public AsyncEvent await() throws InterruptedException {
        return await(EventSource.FOREVER);
    }

    /**
     * Takes an event, if there is one. Does not block.
     *
     * @return the event; null if there is none
     * @throws IllegalStateException if the device is closed
     * @throws dev.isthmus.VerbsException if the call fails, for example with EIO if the device is gone
     */
    @Override
    @CheckReturnValue
    public AsyncEvent poll() {
        return source.poll(this::take);
    }

    /**
     * A descriptor that is readable while there are events: {@code async_fd} of {@code struct ibv_context}. Use it only
     * for {@code poll} and {@code epoll}. It belongs to the device, which closes it.
     *
     * @return the number of the file descriptor
     * @throws IllegalStateException if the device is closed
     */
    @Override
    public int fileDescriptor() {
        return source.fileDescriptor();
    }

    private AsyncEvent take() {
        try (var call = new VerbsCall()) {
            MemorySegment event = call.allocate(ibv_async_event.layout());
            if (call.integer(Libibverbs.GET_ASYNC_EVENT, handle, event) != 0) {
                if (call.errno() == Errno.EAGAIN || call.errno() == Errno.EINTR) {
                    return null;
                }
                throw call.failure(Libibverbs.GET_ASYNC_EVENT, context.device().name(), call.errno());
            }
            try {
                return read(context, event);
            } finally {
                call.nothing(Libibverbs.ACK_ASYNC_EVENT, event);
            }
        }
    }

    /** Copies an event; its object lives until the event is acknowledged. */
    static AsyncEvent read(DeviceContext context, MemorySegment event) {
        int code = ibv_async_event.event_type(event);
        AsyncEventType type = AsyncEventType.of(code);
        if (type == AsyncEventType.UNKNOWN) {
            return new AsyncEvent.OfUnknown(context, code);
        }
        MemorySegment element = ibv_async_event.element(event);
        ContextObjects objects = context.objects();
        return switch (type.subject()) {
            case COMPLETION_QUEUE ->
                new AsyncEvent.OfCompletionQueue(
                        context, type, objects.find(CompletionQueue.class, ibv_async_event.element.cq(element)));
            case QUEUE_PAIR ->
                new AsyncEvent.OfQueuePair(
                        context, type, objects.find(QueuePair.class, ibv_async_event.element.qp(element)));
            case SHARED_RECEIVE_QUEUE ->
                new AsyncEvent.OfSharedReceiveQueue(
                        context, type, objects.find(SharedReceiveQueue.class, ibv_async_event.element.srq(element)));
            case WORK_QUEUE ->
                new AsyncEvent.OfWorkQueue(
                        context, type, objects.find(Object.class, ibv_async_event.element.wq(element)));
            case PORT -> new AsyncEvent.OfPort(context, type, ibv_async_event.element.port_num(element));
            case DEVICE -> new AsyncEvent.OfDevice(context, type);
        };
    }

    /** Ends all waits, as the device is being closed. */
    void shut() {
        source.shut();
    }
}
