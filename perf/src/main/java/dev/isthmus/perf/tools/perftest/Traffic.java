// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import dev.isthmus.perf.common.ByteSize;
import dev.isthmus.verbs.QueuePairType;
import dev.isthmus.verbs.SendOpcode;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Option;

/** What goes over the wire. */
final class Traffic {

    /** The longest message, bytes: with all sizes, this is the last one. */
    static final int ALL_MAX_BYTES = 8 << 20;

    private static final int MAX_BYTES = 1 << 30;
    private static final int MIN_ITERATIONS = 5;
    private static final int MAX_ITERATIONS = 100_000_000;

    @Option(
            names = {"-c", "--connection"},
            paramLabel = "TYPE",
            description = "RC, UC (send, write) or UD (send) (default: ${DEFAULT-VALUE})")
    private String connection = "RC";

    @Option(
            names = {"-s", "--size"},
            paramLabel = "BYTES",
            description = "message size, also as 4K or 1M (default: bandwidth 65536, latency 2, atomics 8)")
    Optional<String> size = Optional.empty();

    @Option(
            names = {"-a", "--all"},
            description = "run each power of two from 2 bytes to 8 MiB (for UD, to the MTU)")
    boolean allSizes;

    @Option(
            names = {"-n", "--iters"},
            paramLabel = "N",
            description = "messages per queue pair, at least 5 (default: write_bw 5000, others 1000)")
    private Optional<Integer> wantedIterations = Optional.empty();

    @Option(
            names = {"-D", "--duration"},
            paramLabel = "SECONDS",
            description = "run for this time instead of a number of messages")
    private Optional<Integer> duration = Optional.empty();

    @Option(
            names = {"-f", "--margin"},
            paramLabel = "SECONDS",
            description = "the part of a duration at its beginning and end that is not measured (default: a quarter)")
    private Optional<Integer> wantedMargin = Optional.empty();

    @Option(
            names = {"-b", "--bidirectional"},
            description = "both ends send (bandwidth)")
    boolean bidirectional;

    @Option(
            names = {"-e", "--events"},
            description = "sleep until completion events instead of polling (not for write)")
    boolean events;

    @Option(
            names = {"-A", "--atomic_type"},
            paramLabel = "TYPE",
            description = "CMP_AND_SWAP or FETCH_AND_ADD (default)")
    private Optional<String> atomicType = Optional.empty();

    @Option(
            names = "--rate_limit",
            paramLabel = "RATE",
            description = "limit the rate of a bandwidth test's sender, by gaps between bursts")
    private Optional<Double> rateLimit = Optional.empty();

    @Option(
            names = "--rate_units",
            paramLabel = "M|g|p",
            description = "unit of the rate: MiB/s, Gb/s, messages/s (default: ${DEFAULT-VALUE})")
    private String rateUnits = "g";

    @Option(names = "--burst_size", paramLabel = "N", description = "messages in a burst (default: transmit depth)")
    private int burst;

    @Option(names = "--rate_limit_type", paramLabel = "SW", description = "only the software limiter is supported")
    private String rateLimitType = "SW";

    QueuePairType transport;

    /** The size of a message; with all sizes the largest, unless the MTU is smaller: see {@link Plan#bytes()}. */
    int bytes;

    /** How many messages, per queue pair; 0 with a duration. */
    int iterations;

    /** How long; 0 with a number of iterations. */
    int seconds;

    /** How many of the seconds to leave out, at the beginning and at the end. */
    int margin;

    SendOpcode atomic;
    Optional<BandwidthSender.RateLimit> rate = Optional.empty();

    /** Checks the flags, and derives what follows from them. */
    void settle(PerfTest test) {
        checkFlags(test);
        seconds = duration.orElse(0);
        RangeCheck.require(duration.isEmpty() || seconds > 0, "the duration must be positive, not " + seconds);
        margin = wantedMargin.orElse(seconds / 4);
        RangeCheck.require(margin >= 0, "the margin must not be negative");
        RangeCheck.require(seconds == 0 || seconds > 2 * margin, "the duration must be longer than two margins");
        transport = transportOf(test);
        bytes = bytesOf(test);
        int usual = test == PerfTest.WRITE_BW ? 5000 : 1000;
        iterations = isTimed()
                ? 0
                : RangeCheck.check(
                        "the number of iterations", wantedIterations.orElse(usual), MIN_ITERATIONS, MAX_ITERATIONS);
        atomic = opcode();
    }

    boolean isTimed() {
        return duration.isPresent();
    }

    private void checkFlags(PerfTest test) {
        RangeCheck.require(!bidirectional || test.isBandwidth(), "-b is for bandwidth tests");
        RangeCheck.require(
                !events || test.verb() != Verb.WRITE, "-e is not for RDMA WRITE, which gives the peer no completion");
        RangeCheck.require(!isTimed() || !events, "a duration cannot be combined with events");
        RangeCheck.require(!isTimed() || !allSizes, "a duration cannot be combined with all sizes");
        RangeCheck.require(!allSizes || test.verb() != Verb.ATOMIC, "atomics have one size: 8");
        RangeCheck.require(atomicType.isEmpty() || test.verb() == Verb.ATOMIC, "-A is for atomic_lat and atomic_bw");
    }

    private QueuePairType transportOf(PerfTest test) {
        QueuePairType type = switch (connection.toUpperCase(Locale.ROOT)) {
            case "RC" -> QueuePairType.RC;
            case "UC" -> QueuePairType.UC;
            case "UD" -> QueuePairType.UD;
            default ->
                throw new IllegalArgumentException(
                        "-c is RC, UC or UD; " + ExchangeFormat.printable(connection) + " is not supported");
        };
        Verb verb = test.verb();
        RangeCheck.require(
                type == QueuePairType.RC || verb == Verb.SEND || (verb == Verb.WRITE && type == QueuePairType.UC),
                test.command() + " is not possible over " + type);
        return type;
    }

    private int bytesOf(PerfTest test) {
        if (allSizes) {
            return ALL_MAX_BYTES;
        }
        int standard = test.verb() == Verb.ATOMIC ? Long.BYTES : test.isBandwidth() ? 65536 : 2;
        int bytes = size.map(Traffic::parse).orElse(standard);
        RangeCheck.require(test.verb() != Verb.ATOMIC || bytes == Long.BYTES, "atomics have one size: 8");
        return RangeCheck.check("the message size", bytes, 1, MAX_BYTES);
    }

    private static int parse(String text) {
        long size = ByteSize.parse(text)
                .orElseThrow(
                        () -> new IllegalArgumentException("not a message size: " + ExchangeFormat.printable(text)));
        RangeCheck.require(size <= MAX_BYTES, "the message size must be at most " + MAX_BYTES + ", not " + size);
        return (int) size;
    }

    private SendOpcode opcode() {
        return switch (atomicType.orElse("FETCH_AND_ADD")) {
            case "FETCH_AND_ADD" -> SendOpcode.ATOMIC_FETCH_AND_ADD;
            case "CMP_AND_SWAP" -> SendOpcode.ATOMIC_CMP_AND_SWP;
            default ->
                throw new IllegalArgumentException(
                        "-A is CMP_AND_SWAP or FETCH_AND_ADD, not " + ExchangeFormat.printable(atomicType.get()));
        };
    }

    /** Derives the limit of the sender's rate, whose bursts are as long as a queue unless there is a flag. */
    void settleRate(PerfTest test, int txDepth) {
        RangeCheck.require(
                rateLimitType.equals("SW"), "only the software rate limiter is supported, not " + rateLimitType);
        if (rateLimit.isEmpty()) {
            RangeCheck.require(burst == 0, "--burst_size needs --rate_limit");
            return;
        }
        RangeCheck.require(
                test.isBandwidth() && test.verb() != Verb.ATOMIC && !(test.verb() == Verb.SEND && bidirectional),
                "the rate limiter is for bandwidth tests, not for atomics or sends in both directions");
        double limit = rateLimit.get();
        RangeCheck.require(limit > 0 && Double.isFinite(limit), "the rate must be positive");
        RangeCheck.check("the burst size", burst, 0, 1 << 20);
        RangeCheck.require(rateUnits.matches("[gMp]"), "--rate_units is M, g or p, not " + rateUnits);
        rate = Optional.of(new BandwidthSender.RateLimit(limit, rateUnits, burst == 0 ? txDepth : burst));
    }
}
