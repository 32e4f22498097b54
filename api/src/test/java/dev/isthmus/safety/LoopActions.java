package dev.isthmus.safety;

import static dev.isthmus.safety.Action.action;

import dev.isthmus.cm.CmEvent;
import dev.isthmus.cm.CmEventType;
import dev.isthmus.cm.ConnectionId;
import dev.isthmus.cm.EventChannel;
import dev.isthmus.loop.EventLoop;
import dev.isthmus.verbs.CompletionChannel;
import dev.isthmus.verbs.CompletionQueue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Event loops of channels, which any thread turns, stops, closes and gives tasks: one at a time may turn a loop, and what it
 * calls may do anything else.
 */
final class LoopActions {

    private static final int MOST = 4;
    private static final Reason[] OF_CONNECTIONS = {Reason.ARGUMENT, Reason.DEVICE, Reason.KIND, Reason.STATE};

    private LoopActions() {}

    static List<Action> all() {
        return List.of(
                action("event loop", 2, LoopActions::open),
                action("watch event channel", 4, LoopActions::watchEvents, Reason.DEVICE), // it does already
                action("watch completion channel", 3, LoopActions::watchCompletions, Reason.DEVICE),
                action("watch for nobody", 1, LoopActions::watchForNobody),
                action("give loop a task", 6, LoopActions::execute),
                action("turn loop", 24, LoopActions::turn, Reason.STATE, Reason.CALLBACK, Reason.ARGUMENT),
                action("run loop", 2, LoopActions::run, Reason.STATE, Reason.CALLBACK, Reason.ARGUMENT),
                action("stop loop", 2, w -> w.peek(EventLoop.class).stop()), // by any thread, in any state
                action("close loop", 1, w -> w.close(EventLoop.class)));
    }

    private static void open(Worker w) {
        if (w.countOpen(EventLoop.class) < MOST) {
            w.made(EventLoop.class, EventLoop.open());
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

    /** Until it is stopped, which another run may take for its own. */
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

    /** What a server or a client does next. */
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

    /** What a handler or a task does besides, within a turn. */
    private static void inside(Thing loop) {
        Worker w = Worker.current();
        EventLoop on = (EventLoop) loop.object;
        switch (w.random.nextInt(10)) {
            case 0 -> throw new IllegalStateException("of the handler");
            case 1 -> on.stop();
            case 2 -> w.attempt(action("turn loop in its turn", 1, v -> turnAgain(v, loop)));
            case 3 -> w.attempt(action("close loop in its turn", 1, v -> v.close(loop)));
            case 4 -> w.attempt(action("give another task in a turn", 1, LoopActions::execute));
            case 5 -> w.attempt(action("close event channel in a turn", 1, v -> v.close(EventChannel.class)));
            case 6 -> w.attempt(action("watch event channel in a turn", 1, LoopActions::watchEvents, Reason.DEVICE));
            default -> {}
        }
    }

    private static void turnAgain(Worker w, Thing loop) throws InterruptedException {
        w.expected.uses(loop, Expectation.Use.OPEN);
        if (w.chance(2)) {
            w.expected.must(Reason.STATE);
            ((EventLoop) loop.object).turn(Duration.ZERO);
        } else {
            w.expected.may(Reason.STATE); // it does not turn when it was stopped
            ((EventLoop) loop.object).run();
        }
    }
}
