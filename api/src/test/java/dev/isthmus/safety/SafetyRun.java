package dev.isthmus.safety;

import dev.isthmus.verbs.Device;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Does what no program should, for some seconds: any action in any order on several threads. Prints the seed; the same
 * seed gives each worker the same random numbers, though threads meet differently. Arguments: seconds, workers, seed.
 */
final class SafetyRun {

    /** The longest that a call may take on the emulated machine. */
    private static final long HANG_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final int HUNG = 3;

    private final World world;
    private final List<Worker> workers = new ArrayList<>();
    private final List<Action> actions = new ArrayList<>();
    private final Action start = Action.action("first working set", 1, QueueActions::workingSet);
    private final Map<String, String> faults =
            new ConcurrentSkipListMap<>(); // by action and place, as each comes often
    private final Map<String, AtomicInteger> successes = new ConcurrentHashMap<>();
    private final Map<String, Long> longest = new ConcurrentHashMap<>(); // milliseconds
    private final long end;

    private SafetyRun(int seconds, int count, long seed) {
        this.world = new World(count);
        this.end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        for (int i = 0; i < count; i++) {
            workers.add(new Worker(world, i, seed));
        }
        for (Action action : Action.all()) {
            for (int i = 0; i < action.weight(); i++) {
                actions.add(action);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        int seconds = Integer.parseInt(args[0]);
        long seed = Long.parseLong(args[2]);
        System.out.println("seed " + seed + ", " + args[1] + " workers, " + seconds + " s");
        CmActions.warmUp(Device.list());
        String before = resources();
        var run = new SafetyRun(seconds, Integer.parseInt(args[1]), seed);
        run.play();
        run.finish();
        String after = awaitResources(before);
        if (!after.equals(before)) {
            run.faults.put("resources", "the kernel's resources were\n" + before + "and are\n" + after);
        }
        run.faults.values().forEach(System.out::println);
        System.exit(run.faults.isEmpty() ? 0 : 1);
    }

    private void play() throws InterruptedException {
        List<Thread> keepers = new ArrayList<>();
        for (Worker worker : workers) {
            keepers.add(Thread.ofPlatform().start(() -> generations(worker)));
        }
        for (Thread keeper : keepers) {
            while (!keeper.join(java.time.Duration.ofMillis(500))) {
                watch();
            }
        }
    }

    /** Threads that end now and then, and leave what they own. */
    private void generations(Worker worker) {
        while (System.nanoTime() - end < 0) {
            Thread next = Thread.ofPlatform().unstarted(() -> life(worker));
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

    private void life(Worker worker) {
        act(worker, start);
        for (int i = 50 + worker.random.nextInt(3000); i > 0 && System.nanoTime() - end < 0; i--) {
            act(worker, actions.get(worker.random.nextInt(actions.size())));
        }
        worker.since = Long.MAX_VALUE;
    }

    private void act(Worker worker, Action action) {
        worker.doing = action.name();
        worker.since = System.nanoTime();
        worker.nullGiven = false;
        try {
            action.step().run(worker);
            successes.computeIfAbsent(action.name(), n -> new AtomicInteger()).incrementAndGet();
            worker.succeeded.incrementAndGet();
        } catch (Throwable t) {
            if (!Outcome.isDocumented(t, worker.nullGiven)) {
                note(worker.number + ": " + action.name(), t);
            }
        }
        longest.merge(action.name(), (System.nanoTime() - worker.since) / 1_000_000, Math::max);
        worker.done.incrementAndGet();
    }

    /** What has held up its worker most. */
    private String slowest() {
        return longest.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .limit(5)
                .map(entry -> entry.getKey() + " " + entry.getValue() + " ms")
                .collect(Collectors.joining(", ", "slowest: ", ""));
    }

    private void note(String what, Throwable t) {
        StackTraceElement[] stack = t.getStackTrace();
        String place = stack.length == 0 ? "" : stack[0].toString();
        if (faults.putIfAbsent(t.getClass() + " at " + place, what + ": " + trace(t)) == null) {
            System.out.println("FAULT " + what + ": " + t + " at " + place);
        }
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

    /** Where the threads are in the kernel: only root may know. */
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

    private void finish() throws InterruptedException {
        long done = workers.stream().mapToLong(w -> w.done.get()).sum();
        long good = workers.stream().mapToLong(w -> w.succeeded.get()).sum();
        System.out.println(
                done + " actions, " + good + " succeeded; " + world.openObjects() + " objects to close; " + slowest());
        System.out.println(new TreeMap<>(successes));
        world.endThreads();
        Thread closer = Thread.ofPlatform()
                .start(() ->
                        world.closeAll().forEach((object, why) -> note("cannot be closed in the end: " + object, why)));
        if (!closer.join(java.time.Duration.ofNanos(HANG_NANOS))) {
            hang("closing all hangs");
        }
    }

    private static String trace(Throwable t) {
        var text = new StringBuilder(t.toString());
        for (StackTraceElement frame : t.getStackTrace()) {
            text.append("\n    at ").append(frame);
        }
        return t.getCause() == null ? text.toString() : text + "\ncaused by " + trace(t.getCause());
    }

    /** The kernel lets some objects go a moment after they were closed. */
    private static String awaitResources(String wanted) throws IOException, InterruptedException {
        String now = resources();
        for (int i = 0; i < 50 && !now.equals(wanted); i++) {
            Thread.sleep(200);
            now = resources();
        }
        return now;
    }

    /** How many objects of each kind the kernel holds for each device. */
    private static String resources() throws IOException, InterruptedException {
        Process process = new ProcessBuilder("rdma", "resource", "show")
                .redirectErrorStream(true)
                .start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0 || text.isBlank()) {
            throw new IOException("rdma resource show: " + text);
        }
        return text;
    }
}
