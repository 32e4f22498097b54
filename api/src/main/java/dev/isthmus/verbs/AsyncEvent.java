// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

/**
 * Something that happened on a device: {@code struct ibv_async_event}. It is a value: the event has been acknowledged.
 * Its class says what it concerns.
 *
 * <p>The object of an event is null if Isthmus did not create it.
 */
public sealed interface AsyncEvent {

    /**
     * The device on which it happened.
     *
     * @return the open device
     */
    DeviceContext context();

    /**
     * What happened.
     *
     * @return the type, UNKNOWN only for {@link OfUnknown}
     */
    AsyncEventType type();

    /**
     * An event of a completion queue.
     *
     * @param context the open device
     * @param type what happened
     * @param completionQueue where it happened
     */
    record OfCompletionQueue(DeviceContext context, AsyncEventType type, CompletionQueue completionQueue)
            implements AsyncEvent {}

    /**
     * An event of a queue pair.
     *
     * @param context the open device
     * @param type what happened
     * @param queuePair where it happened
     */
    record OfQueuePair(DeviceContext context, AsyncEventType type, QueuePair queuePair) implements AsyncEvent {}

    /**
     * An event of a shared receive queue.
     *
     * @param context the open device
     * @param type what happened
     * @param sharedReceiveQueue where it happened
     */
    record OfSharedReceiveQueue(DeviceContext context, AsyncEventType type, SharedReceiveQueue sharedReceiveQueue)
            implements AsyncEvent {}

    /**
     * An event of a work queue.
     *
     * @param context the open device
     * @param type what happened
     * @param workQueue where it happened: a {@link dev.isthmus.verbs.rss.WorkQueue}, which a record pattern can name
     */
    record OfWorkQueue(DeviceContext context, AsyncEventType type, Object workQueue) implements AsyncEvent {}

    /**
     * An event of a port.
     *
     * @param context the open device
     * @param type what happened
     * @param port the number of the port, from 1
     */
    record OfPort(DeviceContext context, AsyncEventType type, int port) implements AsyncEvent {}

    /**
     * An event of the device as a whole.
     *
     * @param context the open device
     * @param type what happened
     */
    record OfDevice(DeviceContext context, AsyncEventType type) implements AsyncEvent {}

    /**
     * An event of a type that this version of Isthmus does not know.
     *
     * @param context the open device
     * @param code its type, a newer value of {@code enum ibv_event_type}
     */
    record OfUnknown(DeviceContext context, int code) implements AsyncEvent {
        @Override
        public AsyncEventType type() {
            return AsyncEventType.UNKNOWN;
        }
    }
}
