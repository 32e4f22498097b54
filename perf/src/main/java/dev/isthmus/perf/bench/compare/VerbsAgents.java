// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.process.Children;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** Isthmus' perftest in Java. */
final class VerbsAgents extends AgentContender {

    private static final String HOST = "127.0.0.1";

    /** C waits forever, and an emulated processor on a busy machine stands still for longer than Java's 10 s. */
    private static final String PATIENCE = " --silence 120";

    private final boolean twin;
    private final boolean threadEach;

    /**
     * Creates it. If there is a twin in C, our own loop waits for writes; otherwise the program does it as
     * perftest does.
     */
    VerbsAgents(Venue venue, Children children, Comparison.Options options, boolean twin) {
        super(venue, children, options);
        this.twin = twin;
        threadEach = options.threadEach();
    }

    /** What one JVM does as both ends; empty if it takes two. */
    private Optional<String> job(Point point, long iterations) {
        String words = " " + String.join(" ", VerbsEnd.words(point, venue(), iterations));
        if (VerbsFlags.isOnTime(point)) {
            return Optional.of(AgentProgram.SEND_TRIPS + words);
        }
        return twin && VerbsFlags.isSingleWrite(point) ? Optional.of(AgentProgram.WRITES + words) : Optional.empty();
    }

    @Override
    public Measured run(Point point, long iterations, Duration limit) throws IOException, InterruptedException {
        Optional<String> both = job(point, iterations);
        return both.isPresent() ? alone(both.get(), limit) : super.run(point, iterations, limit);
    }

    @Override
    public int lanes(Point point) {
        return VerbsFlags.lanes(point, threadEach);
    }

    @Override
    String serve(Point point, Venue.End end, int port, long iterations) {
        return job(point) + flags(point, end, port, iterations) + PATIENCE + " --listen " + HOST;
    }

    @Override
    String ask(Point point, Venue.End end, Venue.End server, int port, long iterations) {
        return job(point) + flags(point, end, port, iterations) + PATIENCE + " " + HOST;
    }

    private static String job(Point point) {
        return AgentProgram.VERBS + " " + VerbsFlags.test(point).name() + " ";
    }

    private String flags(Point point, Venue.End end, int port, long iterations) {
        return String.join(" ", VerbsFlags.of(VerbsFlags.lane(point, threadEach), end, port, iterations));
    }

    @Override
    Measured read(Point point, Measured measured, long iterations) {
        return VerbsFlags.isBandwidth(point)
                ? VerbsFlags.ofRate(VerbsFlags.lane(point, threadEach), measured.messagesPerSecond(), iterations)
                : VerbsFlags.ofTimes(
                        point,
                        measured.averageMicros(),
                        measured.typicalMicros(),
                        measured.times().orElseThrow(),
                        iterations);
    }
}
