// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.safety;

import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Does what no program should: any action in any order on several threads, until enough are done, and judges the result
 * of each. The same seed gives each worker the same random numbers, though threads meet differently.
 */
final class Engine {

    /** The longest that a call may take. */
    private static final long HANG_NANOS = TestDeadlines.ofSeconds(60).toNanos();

    private static final int HUNG = 3;

    final World world;
    final List<Worker> workers = new ArrayList<>();
    private final List<Action> actions = new ArrayList<>();
    private final Action first;
    private final AtomicLong left;
    private final Map<String, String> faults = new ConcurrentSkipListMap<>(); // by kind, as each comes often
    private final Map<String, LongAdder> ends = new ConcurrentSkipListMap<>(); // by action, or reason
    private final Map<String, Long> longest = new ConcurrentHashMap<>(); // milliseconds

    Engine(int workers, int foreign, Fuzz.Settings settings, Action first, List<Action> all) {
        this.world = new World(workers, foreign);
        this.left = new AtomicLong(settings.actions());
        this.first = first;
        for (int i = 0; i < workers; i++) {
            this.workers.add(new Worker(world, i, settings.seed()));
        }
        for (Action action : all) {
            for (int i = 0; i < action.weight(); i++) {
                actions.add(action);
            }
        }
    }

    /** Makes each worker act in one life or several, and watches them. */
    void play(Life life) throws InterruptedException {
        List<Thread> keepers = new ArrayList<>();
        for (Worker worker : workers) {
            keepers.add(Thread.ofPlatform().start(() -> life.live(worker)));
        }
        for (Thread keeper : keepers) {
            while (!keeper.join(Duration.ofMillis(500))) {
                watch();
            }
        }
    }

    /** The life of a worker's thread. */
    @FunctionalInterface
    interface Life {
        void live(Worker worker);
    }

    /** Threads that end now and then, and leave what they own. */
    void generations(Worker worker) {
        while (left.get() > 0) {
            Thread next = Thread.ofPlatform().unstarted(() -> act(worker, 50 + worker.random.nextInt(3000)));
            world.add(next);
            world.add(Thread.ofPlatform().unstarted(() -> {})); // one that may be given objects before it starts
            try {
                next.start();
                next.join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** Acts this many times, or until enough is done. */
    void act(Worker worker, long times) {
        worker.isThisThread(this);
        act(worker, first);
        for (long i = times; i > 0 && left.getAndDecrement() > 0; i--) {
            act(worker, actions.get(worker.random.nextInt(actions.size())));
        }
        worker.since = Long.MAX_VALUE;
    }

    private void act(Worker worker, Action action) {
        worker.doing = action.name();
        worker.since = System.nanoTime();
        attempt(worker, action);
        longest.merge(action.name(), (System.nanoTime() - worker.since) / 1_000_000, Math::max);
        worker.done.incrementAndGet();
    }

    /** Performs one action, perhaps within another, and judges its result. */
    void attempt(Worker worker, Action action) {
        Expectation outer = worker.expected;
        Expectation expected = new Expectation();
        expected.may(action.may().toArray(Reason[]::new));
        worker.expected = expected;
        try {
            action.step().run(worker);
            worker.succeeded.incrementAndGet();
            count(action.name());
            String wrong = expected.judgeSuccess();
            if (wrong != null) {
                note(worker, action, wrong, new AssertionError(wrong));
            }
        } catch (Worker.NothingThere e) {
            count(action.name() + ": nothing there");
        } catch (Throwable t) {
            String wrong = expected.judgeRefusal(t);
            count(action.name() + ": " + Reason.of(t));
            if (wrong != null) {
                note(worker, action, wrong, t);
            }
        } finally {
            expected.end();
            worker.expected = outer;
        }
    }

    private void count(String end) {
        ends.computeIfAbsent(end, n -> new LongAdder()).increment();
    }

    /** Notes a fault, once for each action and kind. */
    private void note(Worker worker, Action action, String wrong, Throwable t) {
        String kind = action.name() + ": " + (t instanceof AssertionError ? "success" : wrong);
        if (faults.putIfAbsent(
                        kind, "worker " + worker.number + " in " + action.name() + ": " + wrong + ": " + trace(t))
                == null) {
            System.out.println("FAULT " + action.name() + ": " + wrong + ": " + t);
        }
    }

    void fault(String what) {
        faults.put(what, what);
    }

    private void watch() {
        for (Worker worker : workers) {
            long since = worker.since;
            if (since != Long.MAX_VALUE && System.nanoTime() - since > HANG_NANOS) {
                hang(worker.number + " hangs in: " + worker.doing);
            }
        }
    }

    private static void hang(String what) {
        System.out.println(what);
        Thread.getAllStackTraces().forEach((thread, stack) -> {
            System.out.println(thread);
            List.of(stack).forEach(frame -> System.out.println("    at " + frame));
        });
        kernelStacks();
        System.out.flush();
        Runtime.getRuntime().halt(HUNG);
    }

    /** Where the threads are in the kernel, which only root may see. */
    private static void kernelStacks() {
        try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
            for (Path task : tasks.toList()) {
                System.out.println(task.getFileName() + " "
                        + Files.readString(task.resolve("comm")).strip() + ", "
                        + Files.readString(task.resolve("syscall")).strip());
                Files.readString(task.resolve("stack")).lines().forEach(line -> System.out.println("    in " + line));
            }
        } catch (IOException e) {
            System.out.println("no stacks of the kernel: " + e);
        }
    }

    /** Prints what was done, and closes everything that is left, which a program must be able to do. */
    void finish(Runnable closing) throws InterruptedException {
        System.out.println(workers.stream().mapToLong(w -> w.done.get()).sum() + " actions, "
                + workers.stream().mapToLong(w -> w.succeeded.get()).sum() + " succeeded; " + world.openObjects()
                + " objects to close; " + slowest());
        System.out.println(ends);
        world.endThreads();
        Thread closer = Thread.ofPlatform().start(() -> {
            closing.run();
            world.closeAll()
                    .forEach((object, why) -> fault("cannot be closed in the end: " + object + ": " + trace(why)));
        });
        if (!closer.join(Duration.ofNanos(HANG_NANOS))) {
            hang("closing all hangs");
        }
    }

    /** Ends the process, with 1 if there was a fault. */
    void exit() {
        faults.values().forEach(System.out::println);
        System.exit(faults.isEmpty() ? 0 : 1);
    }

    /** The action that held up its worker most. */
    private String slowest() {
        return longest.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder()))
                .limit(5)
                .map(entry -> entry.getKey() + " " + entry.getValue() + " ms")
                .collect(Collectors.joining(", ", "slowest: ", ""));
    }

    static String trace(Throwable t) {
        var text = new StringBuilder(t.toString());
        for (StackTraceElement frame : t.getStackTrace()) {
            text.append("\n    at ").append(frame);
        }
        return t.getCause() == null ? text.toString() : text + "\ncaused by " + trace(t.getCause());
    }
}
