// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Option;

/** The flags that say what is printed. */
final class ReportOptions {

    /** With more iterations, perftest does not measure the peak. */
    private static final int PEAK_ITERATIONS = 20_000;

    @Option(names = "--report_gbits", description = "report Gb/sec instead of MiB/sec (which perftest calls MB/sec)")
    private boolean gbits;

    @Option(
            names = {"-N", "--noPeak"},
            description = "do not measure the peak bandwidth")
    private boolean noPeak;

    @Option(names = "--report-both", description = "also report each direction of a bidirectional test")
    private boolean both;

    @Option(
            names = {"-H", "--report-histogrm", "--report-histogram"},
            description = "print all times of a latency test, sorted")
    private boolean histogram;

    @Option(
            names = {"-U", "--report-unsorted"},
            description = "print all times of a latency test, in order")
    private boolean unsorted;

    @Option(
            names = "--output",
            paramLabel = "FIGURE",
            description = "print one figure only: latency, bandwidth or message_rate")
    private Optional<String> only = Optional.empty();

    @Option(names = "--out_json", description = "also write perftest's JSON")
    private boolean json;

    @Option(
            names = "--out_json_file",
            paramLabel = "FILE",
            description = "file for the JSON (default: ${DEFAULT-VALUE})")
    private Path jsonFile = Path.of("perftest_out.json");

    /** Checked first: after the run it would be too late, also for the other end. */
    private static boolean isWritable(Path file) {
        Path parent = file.toAbsolutePath().getParent();
        return Files.exists(file)
                ? Files.isWritable(file) && !Files.isDirectory(file)
                : parent != null && Files.isDirectory(parent) && Files.isWritable(parent);
    }

    Reporting reporting(PerfTest test, Traffic traffic, boolean server) {
        RangeCheck.require(!noPeak || test.isBandwidth(), "-N is for bandwidth tests");
        RangeCheck.require((!histogram && !unsorted) || !test.isBandwidth(), "-H and -U are for latency tests");
        Set<String> figures = test.isBandwidth() ? Set.of("bandwidth", "message_rate") : Set.of("latency");
        RangeCheck.require(only.isEmpty() || figures.contains(only.get()), "--output must be one of " + figures);
        RangeCheck.require(!json || isWritable(jsonFile), "cannot write --out_json_file " + jsonFile);
        boolean listens = test == PerfTest.SEND_BW && server && !traffic.bidirectional();
        boolean peak = !noPeak && !traffic.isTimed() && !listens && traffic.iterations() <= PEAK_ITERATIONS;
        return new Reporting(
                gbits, peak, both, histogram, unsorted, only, json ? Optional.of(jsonFile) : Optional.empty());
    }
}
