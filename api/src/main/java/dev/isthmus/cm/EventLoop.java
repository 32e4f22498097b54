package dev.isthmus.cm;

import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.Natives;
import dev.isthmus.internal.WatchedDescriptors;
import dev.isthmus.verbs.CompletionChannel;
import dev.isthmus.verbs.CompletionQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Serves many connections from one thread: waits for events of any number of event and completion channels, and hands
 * each to whom it is for.
 *
 * <pre>{@code
 * try (var loop = EventLoop.open()) {
 *     loop.add(channel, event -> server.onEvent(event)); // hundreds of connections on one channel
 *     loop.add(completions, queue -> server.onCompletions(queue));
 *     loop.run();
 * }
 * }</pre>
 *
 * <p>{@link #run}, {@link #turn} and all that they call are for one thread at a time; what the handlers use, such as queue
 * pairs, belongs to it. A handler does not turn the loop that calls it. Other threads may call {@link #execute}, {@link
 * #stop} and {@link #add}. A handler that throws ends the turn, and nothing is lost: the next one goes on. Owned by who
 * opened it, and closed before its channels.
 */
public final class EventLoop implements Executor, AutoCloseable {

    /** How many tasks a turn runs, how many channels it looks at, and how many events of each it handles. */
    private static final int FAIR_SHARE = 64;

    private static final Duration LONG = Duration.ofDays(365_000);
    private static final AtomicLong NUMBERS = new AtomicLong();

    private final Lifetime lifetime = new Lifetime("EventLoop", "" + NUMBERS.incrementAndGet());
    private final WatchedDescriptors descriptors = new WatchedDescriptors(lifetime);
    private final List<BooleanSupplier> sources =
            new CopyOnWriteArrayList<>(); // each handles an event, if there is one; by the numbers of their descriptors
    private final List<Runnable> releases = new ArrayList<>(); // let the channels go; guarded by this
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

    /** Sources that have events of which their descriptors do not tell. */
    private final Queue<BooleanSupplier> unannounced = new ConcurrentLinkedQueue<>();

    private final int[] ready = new int[FAIR_SHARE]; // of the thread that turns
    private final AtomicReference<Thread> turning = new AtomicReference<>(); // null: nobody
    private volatile boolean stopped;

    private EventLoop() {}

    /**
     * Opens a loop, which watches nothing yet.
     *
     * @return the loop, which the caller closes
     * @throws dev.isthmus.VerbsException if the process has too many open files
     */
    public static EventLoop open() {
        return new EventLoop();
    }

    /**
     * Watches an event channel. It cannot be closed before this; others may take events from it, too.
     *
     * @param channel the channel
     * @param handler is called for each event
     * @throws IllegalStateException if this or the channel is closed
     */
    public void add(EventChannel channel, Consumer<CmEvent> handler) {
        Objects.requireNonNull(handler, "handler");
        BooleanSupplier source = () -> {
            CmEvent event = channel.poll();
            if (event != null) {
                handler.accept(event);
            }
            return event != null;
        };
        Runnable look = () -> {
            unannounced.add(source);
            descriptors.wakeup();
        };
        channel.watchers().add(look);
        boolean added = false;
        try {
            add(
                    "EventChannel",
                    channel.lifetime(),
                    channel.fileDescriptor(),
                    source,
                    () -> channel.watchers().remove(look));
            added = true;
        } finally {
            if (!added) {
                channel.watchers().remove(look);
            }
        }
    }

    /**
     * Watches a completion channel. It cannot be closed before this.
     *
     * @param channel the channel
     * @param handler is called with a queue that has sent its event: it asks for the next one, then polls until the queue
     *     is empty
     * @throws IllegalStateException if this or the channel is closed
     */
    public void add(CompletionChannel channel, Consumer<CompletionQueue> handler) {
        Objects.requireNonNull(handler, "handler");
        Lifetime ofChannel = Natives.lifetime(channel);
        BooleanSupplier source = () -> {
            CompletionQueue queue = channel.poll();
            if (queue != null) {
                handler.accept(queue);
            }
            return queue != null;
        };
        add("CompletionChannel", ofChannel, channel.fileDescriptor(), source, () -> {});
    }

    private synchronized void add(String what, Lifetime watched, int fd, BooleanSupplier source, Runnable release) {
        lifetime.check();
        var hold = new Lifetime("EventLoop", what, watched);
        hold.open(() -> {
            sources.add(source); // first: the thread that turns may hear of the descriptor at once
            descriptors.add(fd, sources.size() - 1);
            return null;
        });
        releases.add(() -> hold.close(release));
    }

    /**
     * Has the loop's thread run something, soon.
     *
     * @param task what to run
     * @throws IllegalStateException if this is closed
     */
    @Override
    public void execute(Runnable task) {
        lifetime.check();
        tasks.add(task);
        descriptors.wakeup();
    }

    /**
     * Handles what is there; when nothing is, waits for something first. Of many tasks, channels or events of a channel it
     * handles some, and the next turn goes on.
     *
     * @param timeout how long to wait; zero or less does not wait
     * @return whether anything was handled
     * @throws InterruptedException if the thread is interrupted before or while it waits; no event is lost
     * @throws IllegalStateException if this is closed, before or meanwhile; or if a turn is under way, on another thread or
     *     because a handler calls this
     */
    public boolean turn(Duration timeout) throws InterruptedException {
        Thread other = turning.compareAndExchange(null, Thread.currentThread());
        if (other != null) {
            throw new IllegalStateException(this + " is in a turn of " + other.getName()
                    + " already: let one thread turn it, and let its handlers return");
        }
        try {
            if (handle()) {
                return true;
            }
            descriptors.await(timeout);
            return handle();
        } finally {
            turning.set(null);
        }
    }

    private boolean handle() {
        int count = descriptors.ready(ready); // before the tasks: it forgets that there are new ones
        boolean any = runTasks();
        for (int i = 0; i < count; i++) {
            any |= handleSome(sources.get(ready[i])) > 0; // what is left, or throws, is ready at the next turn, too
        }
        any |= handleUnannounced();
        return any;
    }

    private boolean runTasks() {
        int ran = 0;
        Runnable task = tasks.poll();
        while (task != null) {
            task.run();
            task = ++ran < FAIR_SHARE ? tasks.poll() : null;
        }
        return ran > 0;
    }

    private boolean handleUnannounced() {
        boolean any = false;
        BooleanSupplier source = unannounced.peek();
        for (int i = 0; i < FAIR_SHARE && source != null; i++) {
            int handled = handleSome(source);
            any |= handled > 0;
            unannounced.remove(); // now that its handler has not thrown
            if (handled == FAIR_SHARE) {
                unannounced.add(source);
            }
            source = unannounced.peek();
        }
        return any;
    }

    private int handleSome(BooleanSupplier source) {
        int handled = 0;
        while (handled < FAIR_SHARE && source.getAsBoolean()) {
            handled++;
            if (stopped) {
                break;
            }
        }
        return handled;
    }

    /**
     * Turns until {@link #stop} is called.
     *
     * @throws InterruptedException if the thread is interrupted before or while it waits; no event is lost
     * @throws IllegalStateException as {@link #turn} does
     */
    public void run() throws InterruptedException {
        lifetime.check(); // also when it was stopped before
        while (!stopped) {
            turn(LONG);
        }
        stopped = false;
    }

    /** Ends {@link #run} after the event that is being handled, or the next run at once. Any thread may call it. */
    public void stop() {
        stopped = true;
        descriptors.wakeup();
    }

    /**
     * Closes the loop, and lets its channels go. Ends the wait of a thread that turns it, with an IllegalStateException.
     * Does nothing when it is closed already.
     */
    @Override
    public synchronized void close() {
        lifetime.close(() -> {
            descriptors.close();
            releases.forEach(Runnable::run);
        });
    }

    /** The class and a number. */
    @Override
    public String toString() {
        return lifetime.toString();
    }
}
