// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.Codes;
import dev.isthmus.internal.Filling;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * The parameters of a {@link UcpWorker}: {@code ucp_worker_params_t}, and what Isthmus adds. Confined to one thread,
 * inside {@link UcpContext#createWorker(java.util.function.Consumer)}, or the loop's.
 */
public final class UcpWorkerConfig {

    final Filling filling = new Filling();
    private int reservedRequests = 256;
    private Duration closeTimeout = Duration.ofSeconds(2);

    private String name = "";
    private UcpThreadMode threadMode = UcpThreadMode.SERIALIZED;
    private OptionalLong clientId = OptionalLong.empty();
    private int events;
    private UcpCompletionHandler completionHandler; // null if unset, like the next fields
    private UcpCompletions completions;
    private final Map<Integer, UcpActiveMessageHandler> handlers = new HashMap<>();

    UcpWorkerConfig() {}

    /**
     * Names the worker in messages, also in those of UCX.
     *
     * @param workerName any text
     * @return this
     */
    public UcpWorkerConfig name(String workerName) {
        filling.check();
        name = Objects.requireNonNull(workerName, "workerName");
        return this;
    }

    /**
     * Sets which threads may use the worker. Default: {@link UcpThreadMode#SERIALIZED}. With
     * {@link UcpThreadMode#SINGLE} UCX may leave out what several threads need. Then {@link UcpWorker#handOver} is
     * refused, and only the thread that created the worker can close it, even after that thread has ended. A virtual
     * thread cannot create it, because it moves between threads of the system.
     *
     * @param mode either of the two
     * @return this
     * @throws IllegalArgumentException for another mode: a worker has one thread at a time
     * @throws IllegalStateException for {@link UcpThreadMode#SINGLE} on a virtual thread
     */
    public UcpWorkerConfig threadMode(UcpThreadMode mode) {
        filling.check();
        if (mode != UcpThreadMode.SINGLE && mode != UcpThreadMode.SERIALIZED) {
            throw new IllegalArgumentException("a worker is used by one thread at a time, and not in mode " + mode
                    + ": make a worker for each thread, or let others give their work to an EventLoop");
        }
        if (mode == UcpThreadMode.SINGLE && Thread.currentThread().isVirtual()) {
            throw new IllegalStateException(
                    "a virtual thread moves between threads of the system, and UCX allows one only"
                            + " in mode SINGLE: use SERIALIZED");
        }
        threadMode = mode;
        return this;
    }

    /**
     * Gives the worker a number that its connection requests can carry: {@code ucp_worker_params_t::client_id}. See
     * {@link UcpEndpointConfig#sendClientId()}.
     *
     * @param id any number
     * @return this
     */
    public UcpWorkerConfig clientId(long id) {
        filling.check();
        clientId = OptionalLong.of(id);
        return this;
    }

    /**
     * Sets what ends the sleep of the worker's thread: {@code ucp_worker_params_t::events}. Default: anything that ends
     * or arrives. See {@link UcpWorker#wakeup()}.
     *
     * @param wanted at least one
     * @return this
     * @throws IllegalArgumentException if there is none
     */
    public UcpWorkerConfig wakeupEvents(Collection<UcpWakeupEvent> wanted) {
        filling.check();
        if (wanted.isEmpty()) {
            throw new IllegalArgumentException("a worker that nothing wakes up would sleep for ever: name an event");
        }
        events = Codes.mask(wanted, UcpWakeupEvent::bit);
        return this;
    }

    /**
     * Makes the worker's loop take the operations with {@linkplain UcpPayload#userData user data} that have ended.
     * Without it you cannot begin such operations on a loop's worker. The program takes those of any other worker
     * itself, by {@link UcpWorker#poll}.
     *
     * @param most the most operations in one call of the handler
     * @param handler called on the loop's thread; its argument is the same object each time, with new content
     * @return this
     * @throws IllegalArgumentException if {@code most} is less than 1
     */
    public UcpWorkerConfig completions(int most, UcpCompletionHandler handler) {
        filling.check();
        completionHandler = Objects.requireNonNull(handler, "handler");
        completions = UcpCompletions.allocate(most);
        return this;
    }

    /**
     * Sets a handler of active messages before any can arrive, as {@link UcpActiveMessages#setHandler} does later.
     *
     * @param id 0 to {@link UcpActiveMessages#MAX_ID}; of two handlers for one id the second counts
     * @param handler called for each message
     * @return this
     * @throws IllegalArgumentException if the id is out of range
     */
    public UcpWorkerConfig handler(int id, UcpActiveMessageHandler handler) {
        filling.check();
        UcpActiveMessages.checkId(id);
        handlers.put(id, Objects.requireNonNull(handler, "handler"));
        return this;
    }

    Map<Integer, UcpActiveMessageHandler> handlers() {
        return handlers;
    }

    UcpCompletionHandler completionHandler() {
        return completionHandler;
    }

    UcpCompletions completions() {
        return completions;
    }

    String name() {
        return name;
    }

    UcpThreadMode threadMode() {
        return threadMode;
    }

    OptionalLong clientId() {
        return clientId;
    }

    int events() {
        return events;
    }

    /**
     * Reserves memory for outstanding operations. Default: 256. More are possible, up to
     * {@value RequestSlots#MAX_SLOTS}: the reserve then doubles, which allocates.
     *
     * @param count how many
     * @return this
     * @throws IllegalArgumentException if it is not positive or above the limit
     */
    public UcpWorkerConfig reservedRequests(int count) {
        filling.check();
        if (count < 1 || count > RequestSlots.MAX_SLOTS) {
            throw new IllegalArgumentException(
                    "reservedRequests is 1 to " + RequestSlots.MAX_SLOTS + ", and here is " + count);
        }
        reservedRequests = count;
        return this;
    }

    /**
     * Limits how long closing an endpoint or the worker may wait for operations to end. Default: two seconds.
     *
     * @param timeout zero not to wait
     * @return this
     * @throws IllegalArgumentException if it is negative
     */
    public UcpWorkerConfig closeTimeout(Duration timeout) {
        filling.check();
        if (timeout.isNegative()) {
            throw new IllegalArgumentException("closeTimeout is negative: " + timeout);
        }
        closeTimeout = timeout;
        return this;
    }

    int reservedRequests() {
        return reservedRequests;
    }

    Duration closeTimeout() {
        return closeTimeout;
    }
}
