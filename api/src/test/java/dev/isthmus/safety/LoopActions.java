// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.safety;

import static dev.isthmus.safety.Action.action;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.cm.CmEvent;
import dev.isthmus.cm.CmEventType;
import dev.isthmus.cm.ConnectionId;
import dev.isthmus.cm.EventChannel;
import dev.isthmus.internal.Libc;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.NativeFunction;
import dev.isthmus.loop.EventLoop;
import dev.isthmus.loop.Polled;
import dev.isthmus.loop.Registration;
import dev.isthmus.loop.Timer;
import dev.isthmus.verbs.CompletionChannel;
import dev.isthmus.verbs.CompletionQueue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Event loops of channels, descriptors, timers and tasks. Any thread turns them, stops them, closes them and gives them
 * tasks. One thread at a time may turn a loop, and what it calls may do anything else.
 */
final class LoopActions {

    private static final int MOST = 4;
    private static final int MOST_TASKS = 20;
    private static final Reason[] OF_CONNECTIONS = {Reason.ARGUMENT, Reason.DEVICE, Reason.KIND, Reason.STATE};

    private LoopActions() {}

    static List<Action> all() {
        return List.of(
                action("event loop", 2, LoopActions::open),
                action("watch event channel", 4, LoopActions::watchEvents, Reason.DEVICE), // it does already
                action("watch completion channel", 3, LoopActions::watchCompletions, Reason.DEVICE),
                action("watch for nobody", 1, LoopActions::watchForNobody),
                action("watch descriptor", 3, LoopActions::watchDescriptor, Reason.DEVICE), // it does already
                action("poll on loop", 1, LoopActions::pollOnLoop, Reason.DEVICE),
                action("make descriptor readable", 4, w -> w.one(DESCRIPTORS).signal()),
                action("let go", 3, w -> w.peek(Registration.class).close()),
                action("set a timer", 6, LoopActions::schedule),
                action("cancel a timer", 2, w -> w.peek(Alarm.class).cancel()),
                action("give loop a task", 6, LoopActions::execute, Reason.FULL),
                action("submit to loop", 4, LoopActions::submit, Reason.FULL),
                action("look at a task", 4, LoopActions::look),
                action("wake loop", 1, w -> w.peek(EventLoop.class).wakeup()), // by any thread, in any state
                action("turn loop", 24, LoopActions::turn, Reason.STATE, Reason.CALLBACK, Reason.ARGUMENT),
                action("run loop", 2, LoopActions::run, Reason.STATE, Reason.CALLBACK, Reason.ARGUMENT),
                action("stop loop", 2, w -> w.peek(EventLoop.class).stop()), // by any thread, in any state
                action("close loop", 1, w -> w.close(EventLoop.class)));
    }

    private static void open(Worker w) {
        if (w.countOpen(EventLoop.class) < MOST) {
            w.made(EventLoop.class, EventLoop.open(config -> {
                if (w.chance(2)) {
                    config.maxTasks(MOST_TASKS).spin(Duration.ofNanos(w.random.nextInt(50_000)));
                }
            }));
        }
    }

    private static void watchEvents(Worker w) {
        Thing loop = w.takeOpen(EventLoop.class);
        Thing channel = w.takeOpen(EventChannel.class);
        ((EventLoop) loop.object).add((EventChannel) channel.object, event -> onEvent(loop, channel, event));
        loop.holds(channel);
    }

    private static void watchCompletions(Worker w) {
        Thing loop = w.takeOpen(EventLoop.class);
        Thing channel = w.takeOpen(CompletionChannel.class);
        ((EventLoop) loop.object).add((CompletionChannel) channel.object, queue -> onCompletions(loop, queue));
        loop.holds(channel);
    }

    private static void watchForNobody(Worker w) {
        w.expected.must(Reason.NULL);
        if (w.chance(2)) {
            w.open(EventLoop.class).add(w.peek(EventChannel.class), null);
        } else {
            w.open(EventLoop.class).execute(null);
        }
    }

    /** An eventfd, which loops may watch, one at a time or several. */
    private static final class Descriptor {
        private static final NativeFunction EVENTFD = Libc.function("eventfd", JAVA_INT, JAVA_INT, JAVA_INT);
        private static final NativeFunction READ = Libc.function("read", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG);
        private static final NativeFunction WRITE = Libc.function("write", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG);
        private static final int NON_BLOCKING = 0x800;

        final int number;

        Descriptor() {
            try (var call = new NativeCall()) {
                number = call.integer(EVENTFD, 0, NON_BLOCKING);
            }
            if (number < 0) {
                throw new AssertionError("no eventfd");
            }
        }

        void signal() {
            try (var call = new NativeCall()) {
                call.integer64(WRITE, number, call.allocateFrom(JAVA_LONG, 1L), 8L);
            }
        }

        void reset() {
            try (var call = new NativeCall()) {
                call.integer64(READ, number, call.allocate(JAVA_LONG), 8L);
            }
        }
    }

    private static final Descriptor[] DESCRIPTORS = {new Descriptor(), new Descriptor(), new Descriptor()};

    private static void watchDescriptor(Worker w) {
        Thing loop = w.takeOpen(EventLoop.class);
        Descriptor descriptor = w.one(DESCRIPTORS);
        Registration made = ((EventLoop) loop.object).add(descriptor.number, () -> {
            descriptor.reset();
            inside(loop);
        });
        w.part(Registration.class, made, loop);
    }

    private static void pollOnLoop(Worker w) {
        Thing loop = w.takeOpen(EventLoop.class);
        Descriptor descriptor = w.one(DESCRIPTORS);
        Registration made = ((EventLoop) loop.object).add(new Polled() {
            @Override
            public boolean poll() {
                descriptor.reset();
                if (Worker.current().chance(8)) {
                    inside(loop);
                    return true;
                }
                return false;
            }

            @Override
            public boolean arm() {
                return !Worker.current().chance(4);
            }

            @Override
            public int fileDescriptor() {
                return descriptor.number;
            }
        });
        w.part(Registration.class, made, loop);
    }

    /** A timer, and what has become of it. */
    private static final class Alarm {
        private final AtomicInteger ended = new AtomicInteger();
        private Timer timer; // set before others see this

        void end() {
            if (ended.incrementAndGet() > 1) {
                throw new AssertionError("a timer ran twice, or though it was cancelled");
            }
        }

        void cancel() {
            if (timer.cancel()) {
                end();
            }
        }
    }

    private static void schedule(Worker w) {
        Thing loop = w.takeOpen(EventLoop.class);
        var alarm = new Alarm();
        alarm.timer = ((EventLoop) loop.object)
                .schedule(w.chance(20) ? Duration.ofSeconds(w.length()) : w.moment(), () -> {
                    alarm.end();
                    inside(loop);
                });
        w.part(Alarm.class, alarm, loop);
    }

    /** A task that was given to a loop. */
    private record Given(Thing loop, CompletableFuture<?> future) {}

    private static void submit(Worker w) {
        Thing loop = w.takeOpen(EventLoop.class);
        var ran = new AtomicBoolean();
        CompletableFuture<?> future = ((EventLoop) loop.object).submit(() -> {
            if (ran.getAndSet(true)) {
                throw new AssertionError("a task ran twice");
            }
            inside(loop);
        });
        if (w.chance(4)) {
            future.cancel(true);
        }
        w.part(Given.class, new Given(loop, future), loop);
    }

    /** Once its loop is closed, each has ended, and correctly. */
    private static void look(Worker w) {
        Given given = w.peek(Given.class);
        boolean closed = given.loop.seen().closed();
        if (closed && !given.future.isDone()) {
            throw new AssertionError("a task of a closed loop never ends");
        }
        if (given.future.isCompletedExceptionally() && !given.future.isCancelled()) {
            Throwable failure = given.future.exceptionNow();
            if (failure instanceof AssertionError e) {
                throw e;
            }
            if (Reason.of(failure) == null) {
                throw new AssertionError("no task may fail so", failure);
            }
        }
    }

    private static void execute(Worker w) {
        Thing loop = w.takeOpen(EventLoop.class);
        var ran = new AtomicBoolean();
        ((EventLoop) loop.object).execute(() -> {
            if (ran.getAndSet(true)) {
                throw new AssertionError("a task ran twice");
            }
            Worker.current().attempt(action("task of a loop", 1, v -> v.peek(EventLoop.class)));
            inside(loop);
        });
    }

    private static void turn(Worker w) throws InterruptedException {
        w.open(EventLoop.class).turn(w.moment());
    }

    /** Until a stop, which another run may take for its own. */
    private static void run(Worker w) throws InterruptedException, ExecutionException {
        EventLoop loop = w.open(EventLoop.class);
        var over = new AtomicBoolean();
        var stops = new FutureTask<Void>(() -> {
            while (!over.get()) {
                loop.stop();
                LockSupport.parkNanos(100_000);
            }
            return null;
        });
        Thread.ofPlatform().start(stops);
        try {
            loop.run();
        } finally {
            over.set(true);
            stops.get();
        }
    }

    private static void onEvent(Thing loop, Thing channel, CmEvent event) {
        Worker w = Worker.current();
        w.attempt(action("event of a loop", 1, v -> answer(v, channel, event), OF_CONNECTIONS));
        inside(loop);
    }

    /** The next step of a server or a client. */
    private static void answer(Worker w, Thing channel, CmEvent event) {
        if (event.type() == CmEventType.CONNECT_REQUEST) {
            w.made(ConnectionId.class, event.id(), channel);
        }
        Thing known = w.world.known(event.id());
        if (known == null || w.chance(4)) {
            throw new Worker.NothingThere();
        }
        ConnectionId id = w.useThis(ConnectionId.class, known);
        switch (event.type()) {
            case ADDR_RESOLVED -> id.resolveRoute(Duration.ofMillis(20));
            case ROUTE_RESOLVED -> id.connect(config -> config.retryCount(1));
            case CONNECT_REQUEST -> id.accept(config -> config.retryCount(1));
            case ESTABLISHED -> id.disconnect();
            default -> throw new Worker.NothingThere();
        }
    }

    private static void onCompletions(Thing loop, CompletionQueue queue) {
        Worker w = Worker.current();
        w.attempt(action("completions of a loop", 1, v -> {
            Thing known = v.world.known(queue);
            if (known == null) {
                throw new Worker.NothingThere();
            }
            v.useThis(CompletionQueue.class, known).requestNotify(v.chance(2));
        }));
        inside(loop);
    }

    /** Further actions of a handler or a task, within a turn. */
    private static void inside(Thing loop) {
        Worker w = Worker.current();
        EventLoop on = (EventLoop) loop.object;
        switch (w.random.nextInt(14)) {
            case 0 -> throw new IllegalStateException("of the handler");
            case 1 -> on.stop();
            case 2 -> w.attempt(action("turn loop in its turn", 1, v -> turnAgain(v, loop)));
            case 3 -> w.attempt(action("close loop in its turn", 1, v -> v.close(loop)));
            case 4 -> w.attempt(action("give another task in a turn", 1, LoopActions::execute, Reason.FULL));
            case 5 -> w.attempt(action("close event channel in a turn", 1, v -> v.close(EventChannel.class)));
            case 6 -> w.attempt(action("watch event channel in a turn", 1, LoopActions::watchEvents, Reason.DEVICE));
            case 7 -> w.attempt(action("watch descriptor in a turn", 1, LoopActions::watchDescriptor, Reason.DEVICE));
            case 8 -> w.attempt(action("set a timer in a turn", 1, LoopActions::schedule));
            case 9 ->
                w.attempt(action(
                        "let go in a turn", 1, v -> v.peek(Registration.class).close()));
            default -> {}
        }
    }

    private static void turnAgain(Worker w, Thing loop) throws InterruptedException {
        w.expected.uses(loop, Expectation.Use.OPEN);
        if (w.chance(2)) {
            w.expected.must(Reason.STATE);
            ((EventLoop) loop.object).turn(Duration.ZERO);
        } else {
            w.expected.may(Reason.STATE); // it does not turn if it was stopped
            ((EventLoop) loop.object).run();
        }
    }
}
