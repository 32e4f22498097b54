package dev.isthmus.ucx;

import dev.isthmus.internal.Filling;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;

/**
 * What a {@link UcpEventLoop} is made with. Used by one thread, inside {@link UcpEventLoop#start(UcpContext, Consumer)}.
 */
public final class UcpEventLoopConfig {

    private static final Duration MAX_SPIN = Duration.ofDays(1);

    final Filling filling = new Filling();
    private Consumer<UcpWorkerConfig> workerConfigurer = config -> {};
    private ThreadFactory threads =
            Thread.ofPlatform().daemon().name("isthmus-ucx-", 0).factory();
    private Duration spin = Duration.ofNanos(50_000);
    private Consumer<Throwable> exceptionHandler = t -> {
        Thread thread = Thread.currentThread();
        thread.getUncaughtExceptionHandler().uncaughtException(thread, t);
    };

    private UcpCompletionHandler completionHandler;
    private UcpCompletions completions;

    UcpEventLoopConfig() {}

    /**
     * Configures the worker that the loop makes.
     *
     * @param configurer fills in what is to differ from the defaults
     * @return this
     */
    public UcpEventLoopConfig worker(Consumer<UcpWorkerConfig> configurer) {
        filling.check();
        workerConfigurer = Objects.requireNonNull(configurer, "configurer");
        return this;
    }

    /**
     * Makes the loop's thread, a daemon of the platform if not said. A virtual thread is possible, but while it progresses
     * it lets no other run on its carrier.
     *
     * @param factory makes one thread
     * @return this
     */
    public UcpEventLoopConfig thread(ThreadFactory factory) {
        filling.check();
        threads = Objects.requireNonNull(factory, "factory");
        return this;
    }

    /**
     * For how long the loop polls before it sleeps, 50 microseconds if not said. Waking up takes some microseconds, in
     * which a message waits; polling keeps a processor busy.
     *
     * @param duration zero to sleep as soon as nothing happens; at most a day
     * @return this
     * @throws IllegalArgumentException if it is negative or longer
     */
    public UcpEventLoopConfig spin(Duration duration) {
        filling.check();
        if (duration.isNegative() || duration.compareTo(MAX_SPIN) > 0) {
            throw new IllegalArgumentException("spin is 0 to a day, and here is " + duration);
        }
        spin = duration;
        return this;
    }

    /**
     * Who is told of what tasks and handlers throw; if not said, the uncaught exception handler of the loop's thread,
     * which prints it. The loop goes on in any case.
     *
     * @param handler called on the loop's thread; what it throws itself is ignored
     * @return this
     */
    public UcpEventLoopConfig exceptionHandler(Consumer<Throwable> handler) {
        filling.check();
        exceptionHandler = Objects.requireNonNull(handler, "handler");
        return this;
    }

    /**
     * The handler of operations with {@linkplain UcpPayload#userData user data} that have ended. Without it, tasks cannot begin
     * such operations on the loop's worker.
     *
     * @param most the most operations in one call of the handler
     * @param handler called on the loop's thread; its argument is the same object each time, with new content
     * @return this
     * @throws IllegalArgumentException if {@code most} is less than 1
     */
    public UcpEventLoopConfig completions(int most, UcpCompletionHandler handler) {
        filling.check();
        completionHandler = Objects.requireNonNull(handler, "handler");
        completions = UcpCompletions.allocate(most);
        return this;
    }

    /** Null if there is no handler. */
    UcpCompletions completions() {
        return completions;
    }

    UcpCompletionHandler completionHandler() {
        return completionHandler;
    }

    Consumer<UcpWorkerConfig> workerConfigurer() {
        return workerConfigurer;
    }

    ThreadFactory threads() {
        return threads;
    }

    long spinNanos() {
        return spin.toNanos();
    }

    Consumer<Throwable> exceptionHandler() {
        return exceptionHandler;
    }
}
