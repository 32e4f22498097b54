// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Option;

/** What is printed. */
final class Reporting {

    /** With more iterations, perftest does not measure the peak. */
    private static final int PEAK_ITERATIONS = 20_000;

    @Option(names = "--report_gbits", description = "report Gb/sec instead of MiB/sec (which perftest calls MB/sec)")
    boolean gbits;

    @Option(
            names = {"-N", "--noPeak"},
            description = "do not measure the peak bandwidth")
    private boolean noPeak;

    @Option(names = "--report-both", description = "also report each direction of a bidirectional test")
    boolean both;

    @Option(
            names = {"-H", "--report-histogrm", "--report-histogram"},
            description = "print all times of a latency test, sorted")
    boolean histogram;

    @Option(
            names = {"-U", "--report-unsorted"},
            description = "print all times of a latency test, in order")
    boolean unsorted;

    @Option(
            names = "--output",
            paramLabel = "FIGURE",
            description = "print one figure only: latency, bandwidth or message_rate")
    Optional<String> only = Optional.empty();

    @Option(names = "--out_json", description = "also write perftest's JSON")
    private boolean writesJson;

    @Option(
            names = "--out_json_file",
            paramLabel = "FILE",
            description = "file for the JSON (default: ${DEFAULT-VALUE})")
    private Path jsonFile = Path.of("perftest_out.json");

    /** Whether a bandwidth test looks for its peak. */
    boolean peak;

    /** Checks the flags, and derives what follows from them. */
    void settle(PerfTest test, Traffic traffic, boolean server) {
        RangeCheck.require(!noPeak || test.isBandwidth(), "-N is for bandwidth tests");
        RangeCheck.require((!histogram && !unsorted) || !test.isBandwidth(), "-H and -U are for latency tests");
        Set<String> figures = test.isBandwidth() ? Set.of("bandwidth", "message_rate") : Set.of("latency");
        RangeCheck.require(only.isEmpty() || figures.contains(only.get()), "--output must be one of " + figures);
        RangeCheck.require(!writesJson || isWritable(jsonFile), "cannot write --out_json_file " + jsonFile);
        boolean listens = test == PerfTest.SEND_BW && server && !traffic.bidirectional;
        peak = !noPeak && !traffic.isTimed() && !listens && traffic.iterations <= PEAK_ITERATIONS;
    }

    /** The file for perftest's JSON. */
    Optional<Path> json() {
        return Optional.of(jsonFile).filter(_ -> writesJson);
    }

    /** Checked first: after the run it would be too late, also for the other end. */
    private static boolean isWritable(Path file) {
        Path parent = file.toAbsolutePath().getParent();
        return Files.exists(file)
                ? Files.isWritable(file) && !Files.isDirectory(file)
                : parent != null && Files.isDirectory(parent) && Files.isWritable(parent);
    }
}
