// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.common.Progress;
import dev.isthmus.perf.common.Timetable;
import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.Stopping;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/** Makes the runs of a comparison, one after another, and stores each at once. */
final class Comparison implements AutoCloseable {

    /**
     * Where it measures, and how long things take.
     *
     * @param devices as they are typed
     * @param rounds how many runs each point has
     * @param seconds the length of a run
     * @param warmUpSeconds how long a program may take to become steady
     * @param messages how many messages each connection has in a run, however long that takes; empty for as many as fit
     *     into the run's seconds
     * @param threadEach whether each connection of verbs has a thread, where one thread could serve all
     * @param warmsOnce whether a JVM is warmed up for a point before its first run only; for runs of a number of messages,
     *     because then nobody asks how long a program in C takes for one
     */
    record Options(
            List<String> devices,
            int rounds,
            double seconds,
            double warmUpSeconds,
            OptionalLong messages,
            boolean threadEach,
            boolean warmsOnce) {

        Options {
            devices = List.copyOf(devices);
        }

        Options(int rounds, double seconds, double warmUpSeconds) {
            this(List.of(), rounds, seconds, warmUpSeconds, OptionalLong.empty(), false, false);
        }
    }

    /** For processes to start and connect on emulated processors of a busy machine. */
    private static final Duration PATIENCE = Duration.ofMinutes(6);

    /** How many times to try again when a run comes out much shorter than planned. */
    private static final int ATTEMPTS = 3;

    /** A message takes less than this wherever it runs. */
    private static final double MESSAGE_SECONDS = 1e-3;

    /** How many times slower than planned a run may be. */
    private static final int PATIENCE_FACTOR = 20;

    private final Options options;
    private final Venue venue;
    private final RunStore store;
    private final Failures failures;
    private final Progress progress;
    private final Stopping stopping;
    private final VerbsTwin twin;
    private final Children children;
    private final Map<Runner.Key, Runner> runners = new HashMap<>();
    private final WarmUp warmUp;
    private final Pace pace = new Pace();
    private final ProcessorTime processor = new ProcessorTime();

    private Comparison(
            Venue venue, VerbsTwin twin, RunStore store, Failures failures, Stopping stopping, Progress progress) {
        this.options = store.setting().options();
        this.venue = venue;
        this.store = store;
        this.failures = failures;
        this.progress = progress;
        this.stopping = stopping;
        this.twin = twin;
        children = new Children(store.dir());
        warmUp = new WarmUp(options, pace, this::run, stopping::isWanted, System::nanoTime);
    }

    /** Makes the missing runs, and shows the progress. Returns false if it was stopped early. */
    static boolean run(
            Venue venue, VerbsTwin twin, RunStore store, Failures failures, Stopping stopping, PrintStream err)
            throws IOException, InterruptedException {
        try (var progress = Progress.on(err);
                var comparison = new Comparison(venue, twin, store, failures, stopping, progress)) {
            return comparison.run();
        }
    }

    private boolean run() throws IOException, InterruptedException {
        List<Point> points = store.setting().points();
        Set<Schedule.Step> done = store.runs().stream()
                .map(run -> new Schedule.Step(run.point(), run.round()))
                .collect(Collectors.toSet());
        List<Schedule.Step> steps = Schedule.steps(points, options.rounds(), done);
        var remaining = new Remaining(points.size() * options.rounds(), done.size(), done.size());
        long begin = System.nanoTime();
        boolean warmedUp = false; // in the run before, which does not tell how long others take
        for (Schedule.Step step : steps) {
            if (stopping.isWanted()) {
                return false;
            }
            if (warmedUp) {
                remaining = remaining.startingHere();
                begin = System.nanoTime();
            }
            progress.update(remaining.text(Duration.ofNanos(System.nanoTime() - begin)) + ": " + step.title());
            if (failures.isHopeless(step.point())) {
                failures.skipped(step);
            } else if (!attempt(step)) {
                return false;
            }
            remaining = remaining.next();
            warmedUp = options.warmsOnce() && step.round() == 1;
        }
        return again();
    }

    /** Tries failed runs once more: a program that crashes occasionally seldom does so twice in a row. */
    private boolean again() throws IOException, InterruptedException {
        for (Schedule.Step step : failures.missing()) {
            if (stopping.isWanted()) {
                return false;
            }
            if (!failures.isHopeless(step.point())) {
                progress.update("once more: " + step.title());
                if (!attempt(step)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Makes a run, or notes why that failed. Returns false if it was stopped during the run. */
    private boolean attempt(Schedule.Step step) throws IOException, InterruptedException {
        Run run;
        try {
            run = measure(step.point(), step.round());
            run.requireFigures(); // there are none, for example, because the clock stood still
        } catch (IOException | IllegalArgumentException e) {
            if (stopping.isWantedSoon()) {
                return false; // its processes have been ended
            }
            progress.say("failed: " + failures.add(step, "" + e.getMessage()));
            return true;
        }
        store.add(run); // a full disk ends the comparison
        failures.made(step);
        return true;
    }

    private Run measure(Point planned, int round) throws IOException, InterruptedException {
        boolean fixed = planned.benchmark() == Benchmark.FIXED_RATE;
        boolean steady = !fixed || warmUp.run(planned.closed());
        Point point = withRate(planned);
        steady &= warmUp.run(point);
        for (int attempt = 1; ; attempt++) {
            long least = point.route()
                    .map(route -> route.leastMessages(point.bytes()))
                    .orElse(0L);
            long iterations = options.messages().orElse(Math.max(least, pace.iterations(point, options.seconds())));
            Optional<WireCounters> counters = WireCounters.of(point.way(), venue);
            long before = counters.isPresent() ? counters.get().sent() : 0;
            double seconds = options.messages().isPresent()
                    ? Math.max(options.seconds(), iterations * MESSAGE_SECONDS)
                    : options.seconds();
            Measured measured = run(point, iterations, seconds);
            OptionalDouble overhead = counters.isPresent()
                    ? WireCounters.overhead(counters.get().sent() - before, measured.messages(), point.bytes())
                    : OptionalDouble.empty();
            pace.learn(point, iterations, measured);
            if (attempt == ATTEMPTS
                    || options.messages().isPresent()
                    || !Pace.isShort(measured, iterations, options.seconds())) {
                Runner runner = runner(point);
                boolean timed = hasTimes(point, measured);
                Measured.Times times = measured.times();
                return new Run(
                        planned,
                        round,
                        figure(timed, times.averageMicros()),
                        figure(timed, times.medianMicros()),
                        figure(timed, times.p999Micros()),
                        measured.messagesPerSecond(),
                        measured.messagesPerSecond() * point.bytes(),
                        overhead,
                        figure(runner.pairs(point) > 1, measured.overlap()),
                        steady,
                        options.warmsOnce() && point.way().isC() // no short run has shown what a start takes
                                ? OptionalDouble.empty()
                                : processor.perMessage(point, measured),
                        figure(fixed, (double) point.rate()),
                        timed ? times.all() : Optional.empty(),
                        runner.command(point, iterations),
                        runner.jvmFlags());
            }
        }
    }

    private static OptionalDouble figure(boolean exists, double value) {
        return exists && Double.isFinite(value) ? OptionalDouble.of(value) : OptionalDouble.empty();
    }

    /** A way that cannot keep up with its rate has no times: they would grow for as long as it runs. */
    private static boolean hasTimes(Point point, Measured measured) {
        return !point.benchmark().isThroughput()
                && !(point.rate() > 0 && Run.isBehind(measured.messagesPerSecond(), (double) point.rate()));
    }

    /**
     * The point with its rate, if it has a fixed one. Unless a rate was given, it is half of what the way has just
     * reached without a limit.
     */
    private Point withRate(Point point) {
        if (point.benchmark() != Benchmark.FIXED_RATE || point.rate() > 0) {
            return point;
        }
        double before = store.runs().stream() // all rounds of a point have the same rate
                .filter(run -> run.point().equals(point))
                .mapToDouble(run -> run.offeredPerSecond().orElse(0))
                .findFirst()
                .orElse(0);
        double half = pace.perSecond(point.closed()) * point.connections() / 2;
        return point.at(before > 0 ? (long) before : Timetable.rounded(half));
    }

    private Measured run(Point point, long iterations, double seconds) throws IOException, InterruptedException {
        Duration limit = PATIENCE.plusMillis((long) (PATIENCE_FACTOR * seconds * 1e3));
        Measured measured = runner(point).run(point, iterations, limit);
        if (point.way().isC()) {
            processor.learn(point, measured);
        }
        return measured;
    }

    private Runner runner(Point point) throws IOException {
        var key = Runner.Key.of(point);
        if (!runners.containsKey(key)) {
            runners.put(key, Runner.of(point, twin, venue, children, options));
        }
        return runners.get(key);
    }

    @Override
    public void close() {
        runners.values().forEach(Runner::close);
        children.close();
    }
}
