// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.cli.demo;

import dev.isthmus.perf.common.Machine;
import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.CrashException;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A part of the demo, in a process of its own.
 *
 * @param path what its messages take
 * @param command what runs it; it prints {@link Event}s
 */
record DemoPart(String path, List<String> command) {

    /** A process that this one left behind may hold standard error open for longer. */
    private static final Duration OUTPUT_LIMIT = Duration.ofSeconds(10);

    /**
     * The outcome.
     *
     * @param machine where it ran; none if it did not get that far
     * @param samples the rounds that count
     * @param failures what went wrong, in order; only the last may not have been repeated
     */
    record Result(Optional<Machine> machine, List<DemoReport.Sample> samples, List<DemoReport.Failure> failures) {

        boolean isComplete() {
            return failures.isEmpty() || failures.getLast().repeated();
        }
    }

    /** One run. */
    private static final class Attempt {
        private final List<DemoReport.Sample> samples = new ArrayList<>();
        private Optional<Machine> machine = Optional.empty();
        private Optional<String> reason = Optional.empty();
        private boolean emulated;
        private boolean crashed;

        private void take(Event event, Consumer<String> progress) {
            Optional.ofNullable(event.progress()).ifPresent(progress);
            Optional.ofNullable(event.sample()).ifPresent(samples::add);
            machine = Optional.ofNullable(event.machine()).or(() -> machine);
            emulated |= Boolean.TRUE.equals(event.emulated());
        }
    }

    /**
     * Runs the part once, and again if its JVM crashes on an emulated processor, which occasionally happens for unknown
     * reasons. Elsewhere, a crash is a failure like any other.
     *
     * @param progress takes each step that begins
     * @param errors takes the lines that the process writes to its standard error, and remarks on its end
     * @param reports the folder for a JVM's error report
     * @return the outcome, even if it failed
     * @throws InterruptedException if the demo is to stop
     */
    Result run(Consumer<String> progress, Consumer<String> errors, Path reports) throws InterruptedException {
        List<DemoReport.Failure> failures = new ArrayList<>();
        Attempt attempt = attempt(progress, errors, reports);
        if (attempt.crashed && attempt.emulated) {
            failures.add(new DemoReport.Failure(path, attempt.reason.orElseThrow(), true));
            errors.accept("demo: on the testbed's emulated processor, " + attempt.reason.orElseThrow()
                    + "; its rounds are dropped, and it runs again");
            attempt = attempt(progress, errors, reports);
        }
        attempt.reason.ifPresent(reason -> failures.add(new DemoReport.Failure(path, reason, false)));
        return new Result(attempt.machine, attempt.samples, failures);
    }

    private Attempt attempt(Consumer<String> progress, Consumer<String> errors, Path reports)
            throws InterruptedException {
        var attempt = new Attempt();
        try (var children = new Children()) {
            Process process = children.start(command, Map.of(), Redirect.PIPE, Redirect.PIPE);
            var said = new ErrorOutput(process.getErrorStream(), errors, reports);
            said.start();
            int status = Children.listen(
                    process, line -> Event.parse(line).ifPresent(event -> attempt.take(event, progress)));
            said.join(OUTPUT_LIMIT);
            attempt.crashed = CrashException.signal(status).isPresent();
            attempt.reason = reason(status, said.lastLine());
        } catch (IOException e) {
            attempt.reason = Optional.of("the " + path + " part: " + e.getMessage());
        }
        return attempt;
    }

    private Optional<String> reason(int status, String lastLine) {
        if (status == 0) {
            return Optional.empty();
        }
        return CrashException.signal(status)
                .map(signal -> "a JVM of the " + path + " part was ended by " + signal)
                .or(() -> Optional.of("the " + path + " part ended with status " + status
                        + (lastLine.isEmpty() ? "" : ": " + lastLine)));
    }
}
