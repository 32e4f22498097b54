// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.perftest;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Option;

/** The flags that say what is printed. */
final class ReportOptions {

    /** Above so many iterations perftest does not look for the peak. */
    private static final int PEAK_ITERATIONS = 20_000;

    @Option(names = "--report_gbits", description = "Gb/sec rather than MiB/sec (which perftest calls MB/sec)")
    private boolean gbits;

    @Option(
            names = {"-N", "--noPeak"},
            description = "do not look for the peak bandwidth")
    private boolean noPeak;

    @Option(names = "--report-both", description = "each direction of a bidirectional test, too")
    private boolean both;

    @Option(
            names = {"-H", "--report-histogrm", "--report-histogram"},
            description = "print all times of a latency test, sorted")
    private boolean histogram;

    @Option(
            names = {"-U", "--report-unsorted"},
            description = "print all times of a latency test, as they came")
    private boolean unsorted;

    @Option(
            names = "--output",
            paramLabel = "FIGURE",
            description = "print one figure alone: latency, bandwidth or message_rate")
    private Optional<String> only = Optional.empty();

    @Option(names = "--out_json", description = "write perftest's JSON, too")
    private boolean json;

    @Option(names = "--out_json_file", paramLabel = "FILE", description = "where to (default: ${DEFAULT-VALUE})")
    private Path jsonFile = Path.of("perftest_out.json");

    /** Asked first: after the run it would be too late, for the other end, too. */
    private static boolean isWritable(Path file) {
        Path parent = file.toAbsolutePath().getParent();
        return Files.exists(file)
                ? Files.isWritable(file) && !Files.isDirectory(file)
                : parent != null && Files.isDirectory(parent) && Files.isWritable(parent);
    }

    Reporting reporting(PerfTest test, Traffic traffic, boolean server) {
        Range.require(!noPeak || test.isBandwidth(), "-N is for bandwidth tests");
        Range.require((!histogram && !unsorted) || !test.isBandwidth(), "-H and -U are for latency tests");
        Set<String> figures = test.isBandwidth() ? Set.of("bandwidth", "message_rate") : Set.of("latency");
        Range.require(only.isEmpty() || figures.contains(only.get()), "--output is one of " + figures);
        Range.require(!json || isWritable(jsonFile), "cannot write --out_json_file " + jsonFile);
        boolean listens = test == PerfTest.SEND_BW && server && !traffic.bidirectional();
        boolean peak = !noPeak && !traffic.isTimed() && !listens && traffic.iterations() <= PEAK_ITERATIONS;
        return new Reporting(
                gbits, peak, both, histogram, unsorted, only, json ? Optional.of(jsonFile) : Optional.empty());
    }
}
