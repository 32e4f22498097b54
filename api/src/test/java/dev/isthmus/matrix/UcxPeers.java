// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import dev.isthmus.loop.EventLoop;
import dev.isthmus.safety.Reason;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.ucx.UcpActiveMessages;
import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpEndpointConfig;
import dev.isthmus.ucx.UcpWorker;
import dev.isthmus.ucx.UcpWorkerConfig;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** Two workers of one thread with endpoints to each other, and their progress. */
final class UcxPeers {

    /** The peer's handler that checks what arrives; the default of numbers that are arguments. */
    static final int CHECKED = 0;

    /** The handler for the message that runs a cell's part. */
    static final int PLACE = 2;

    private static final int PUMP = 1;
    private static final long EXCHANGE_TAG = 0x200;
    private static final int SETTLING = 300; // turns
    private static final long DEADLINE_NANOS = TestDeadlines.ofSeconds(10).toNanos();

    final UcpWorker mine;
    final UcpWorker theirs;
    final UcpEndpoint one;
    final UcpEndpoint two;
    final UcpEndpoint back;
    final EventLoop loop; // null if the worker has none

    private final Duration closeTimeout;
    private final UcxBytes bytes;
    private final UcxCallbacks callbacks;
    private final Faults faults;
    private UcpWorkerConfig workerConfig;
    private UcpEndpointConfig endpointConfig;
    private boolean pumping;
    private UcpEndpoint self;
    private EventLoop otherLoop;

    UcxPeers(
            UcpContext context,
            boolean isLooped,
            Duration closeTimeout,
            UcxBytes bytes,
            UcxCallbacks callbacks,
            Faults faults) {
        this.closeTimeout = closeTimeout;
        this.bytes = bytes;
        this.callbacks = callbacks;
        this.faults = faults;
        this.theirs =
                context.createWorker(config -> config.closeTimeout(closeTimeout).handler(CHECKED, bytes::receive));
        this.loop = isLooped ? EventLoop.open() : null;
        this.mine = isLooped
                ? context.createWorker(
                        loop, config -> configure(config).completions(4, done -> callbacks.completions()))
                : context.createWorker(this::configure);
        this.one = mine.createEndpoint(theirs.address(), config -> endpointConfig = config);
        this.two = mine.createEndpoint(theirs.address());
        this.back = theirs.createEndpoint(mine.address());
        exchange(one);
        exchange(two);
        for (UcpEndpoint endpoint : List.of(one, two, back)) {
            connect(endpoint);
        }
    }

    private UcpWorkerConfig configure(UcpWorkerConfig config) {
        workerConfig = config;
        return config.closeTimeout(closeTimeout)
                .handler(CHECKED, bytes::receive)
                .handler(PUMP, m -> pump())
                .handler(PLACE, callbacks::message);
    }

    /**
     * Connects an endpoint as a whole: a message that asks for an answer needs more than others. UCX before 1.14 does not
     * survive a flush over TCP before that message is done: docs/ucx-faults.md.
     */
    private void connect(UcpEndpoint endpoint) {
        CompletableFuture<Void> sent =
                endpoint.amSendAsync(CHECKED, MemorySegment.NULL, bytes.source.asSlice(0, 8), UcpActiveMessages.REPLY);
        until(sent::isDone);
        CompletableFuture<Void> flushed =
                (endpoint == back ? theirs : mine).requests().whenDone(endpoint.flush());
        until(flushed::isDone);
    }

    UcpWorkerConfig workerConfig() {
        return workerConfig;
    }

    UcpEndpointConfig endpointConfig() {
        return endpointConfig;
    }

    /** An endpoint of the worker to itself. */
    UcpEndpoint self() {
        if (self == null) {
            self = mine.createEndpoint(mine.address());
            connect(self);
        }
        return self;
    }

    /** A loop that the worker does not belong to. */
    EventLoop otherLoop() {
        if (otherLoop == null) {
            otherLoop = EventLoop.open();
        }
        return otherLoop;
    }

    /** Lets a send end by itself. */
    static void sent(UcpWorker worker, long send) {
        if (send != 0) {
            var ignored = worker.requests().whenDone(send);
        }
    }

    // Progress.

    /**
     * Lets each progress of the worker progress the peer, too, by a message whose handler does so and sends the next one.
     * A close that waits for the peer then need not wait for ever, though both are of one thread.
     */
    void pumpPeer() {
        pumping = true;
        pump();
    }

    void stopPumping() {
        pumping = false;
    }

    private void pump() {
        if (pumping && back.isOpen()) {
            sent(theirs, back.amSend(PUMP, MemorySegment.NULL));
            theirs.progress();
        }
    }

    /** Lets the peer send what it has begun to send. */
    void push() {
        for (int i = 0; i < 30; i++) {
            theirs.progress();
        }
    }

    /** Progresses this side. */
    void turnMine() {
        faults.lenient(() -> {
            if (loop != null) {
                loop.turn(Duration.ZERO);
            } else {
                mine.progress();
            }
        });
    }

    /** Progresses both sides. */
    void turn() {
        turnMine();
        faults.lenient(theirs::progress);
        if (otherLoop != null) {
            faults.lenient(() -> otherLoop.turn(Duration.ZERO));
        }
    }

    void settle() {
        for (int i = 0; i < SETTLING; i++) {
            turn();
        }
    }

    /** Lets everything arrive that is under way, so that what comes next is met at once. */
    void rest() {
        for (int quiet = 0; quiet < 5; ) {
            quiet = mine.progress() == 0 && theirs.progress() == 0 ? quiet + 1 : 0;
        }
    }

    void until(BooleanSupplier so) {
        long begin = System.nanoTime();
        while (!so.getAsBoolean()) {
            turn();
            if (System.nanoTime() - begin > DEADLINE_NANOS) {
                throw new AssertionError("it never came");
            }
        }
    }

    // Whether they still work.

    /** Whether this side's worker is closed, and so has dropped what did not end in time. */
    boolean isMineClosed() {
        try {
            mine.progress();
            return false;
        } catch (IllegalStateException e) {
            if (Reason.of(e) != Reason.CLOSED) {
                throw e;
            }
            return true;
        }
    }

    /** A message over each endpoint that is open, and back. */
    void exchange() {
        if (back.isOpen()) {
            for (UcpEndpoint endpoint : List.of(two, one)) {
                if (endpoint.isOpen()) {
                    exchange(endpoint);
                }
            }
        }
    }

    private void exchange(UcpEndpoint over) {
        send(over, theirs);
        send(back, mine);
    }

    private void send(UcpEndpoint over, UcpWorker to) {
        MemorySegment target = bytes.own.allocate(UcxBytes.SHORT);
        CompletableFuture<?> receive = to.tagReceiveAsync(target, EXCHANGE_TAG, UcpWorker.EXACT_TAG);
        CompletableFuture<?> send = over.tagSendAsync(bytes.filled(UcxBytes.SHORT, UcxBytes.X), EXCHANGE_TAG);
        until(() -> receive.isDone() && send.isDone());
        receive.join();
        send.join();
        bytes.check(target, "a message over " + over);
    }

    // Their end.

    void closeEndpoints() {
        List<CompletableFuture<Void>> closes = Stream.of(self, one, two, back)
                .filter(Objects::nonNull)
                .map(UcpEndpoint::closeAsync)
                .toList();
        until(() -> closes.stream().allMatch(CompletableFuture::isDone));
        closes.forEach(one -> faults.lenient(one::join));
    }

    /** Closes the worker of a loop, which this thread turns meanwhile. */
    void closeLooped() {
        CompletableFuture<Void> closed = mine.closeAsync();
        until(closed::isDone);
        closed.join();
    }

    /** What is to be closed last: null where there is none. */
    List<AutoCloseable> loops() {
        return Arrays.asList(loop, otherLoop);
    }
}
