// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.common.ByteSize;
import dev.isthmus.perf.common.Timetable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** What is to be measured, as it is typed. */
final class Selection {

    private static final String QUICK_BYTES = "8,4K,64K";
    private static final long MOST_BYTES = 1 << 20;
    private static final int MOST_CONNECTIONS = 128;

    /** For ways that have a process or a thread for each connection. */
    static final int MOST_OF_OTHERS = 16;

    @Option(
            names = "--bytes",
            paramLabel = "SIZES",
            description =
                    "payloads: 8,4K,1M, or the powers of two of 1..1M (default: 1..1M; quick: " + QUICK_BYTES + ")")
    private String bytes;

    @Option(
            names = "--benchmarks",
            paramLabel = "NAMES",
            split = ",",
            description = "some of one-way, both-ways, one-sided, ping-pong, fixed-rate (default: all)")
    private List<String> benchmarks = List.of();

    @Option(
            names = "--ways",
            paramLabel = "NAMES",
            split = ",",
            description = "some of c-verbs-send, c-verbs-write, c-verbs-read, java-verbs-send, java-verbs-write,"
                    + " java-verbs-read, c-ucx, java-ucx, jucx, nio-blocking, nio-non-blocking, c-sockets, java-sockets,"
                    + " c-tcp, netty-tcp, netty-epoll, netty-provider, netty-rdma (default: all)")
    private List<String> ways = List.of();

    @Option(
            names = "--routes",
            paramLabel = "NAMES",
            split = ",",
            description =
                    "for c-ucx, java-ucx and jucx, one-way and ping-pong: transports and operations, such as shm-tag"
                            + " and tcp-am, instead of tags over the device (of shm, tcp and tag, stream, am, put)")
    private List<String> routes = List.of();

    @Option(
            names = "--connections",
            paramLabel = "NUMBERS",
            split = ",",
            description = "for throughput, ping-pong and, over sockets, fixed-rate: 1 to " + MOST_CONNECTIONS
                    + ", such as 1,2,4,8,16 (default: 1);" + " more than " + MOST_OF_OTHERS
                    + " for netty-... and nio-non-blocking only")
    private List<Integer> connections = List.of(1);

    @Option(
            names = "--thread-per-connection",
            description =
                    "for throughput of verbs: a thread, or in C a process, for each connection, as c-ucx and java-ucx"
                            + " have, instead of one for all")
    private boolean threadEach;

    @Option(
            names = "--rates",
            paramLabel = "NUMBERS",
            split = ",",
            description =
                    "for fixed-rate: round trips started per second, over all connections together, such as 1000,20000"
                            + " (default: for each way half of what it reaches in ping-pong)")
    private List<Long> rates = List.of();

    @Option(names = "--rounds", paramLabel = "N", description = "runs of each point (default: ${DEFAULT-VALUE})")
    private int rounds = 3;

    @Option(
            names = "--seconds",
            paramLabel = "S",
            description = "about how long a run should take (default: 1; quick: 0.3)")
    private Double seconds;

    @Option(
            names = "--messages",
            paramLabel = "N",
            description = "messages per connection in a run, instead of as many as fit into --seconds")
    private Long messages;

    @Option(
            names = "--warm-up",
            paramLabel = "S",
            description = "how long a JVM may take to become steady before a run (default: ${DEFAULT-VALUE})")
    private double warmUp = 15;

    @Option(
            names = "--warm-up-once",
            description = "with --messages: warm a JVM up before the first run of a point only")
    private boolean warmsOnce;

    @Option(
            names = "--devices",
            paramLabel = "NAMES",
            split = ",",
            description = "the RDMA device, or the client's and the server's; none for the loopback interface"
                    + " (default: the first two whose port is active)")
    private List<String> devices = List.of();

    @Option(names = "--quick", description = "few sizes and short runs, for a first look")
    private boolean quick;

    private List<Long> bytes() {
        String standard = quick ? QUICK_BYTES : "1..1M";
        return sizes(bytes == null ? standard : bytes);
    }

    /** Sizes as they are typed: {@code 8,4K,1M}, or the powers of two of {@code 1..1M}. */
    static List<Long> sizes(String text) {
        return Stream.of(text.split(",", -1))
                .flatMap(part -> range(part).stream())
                .distinct()
                .sorted()
                .toList();
    }

    private static List<Long> range(String part) {
        String[] ends = part.split("\\.\\.", 2);
        long last = size(ends[ends.length - 1]);
        List<Long> sizes = new ArrayList<>();
        for (long size = size(ends[0]); size <= last; size *= 2) {
            sizes.add(size);
        }
        if (sizes.isEmpty()) {
            throw new IllegalArgumentException(part + " has no sizes: the smaller one comes first");
        }
        return sizes;
    }

    private static long size(String text) {
        long size = ByteSize.parse(text).orElse(0);
        if (size < 1 || size > MOST_BYTES) {
            throw new IllegalArgumentException("sizes are 1 to 1M, as 8,4K,1M or 1..1M, not " + text);
        }
        return size;
    }

    List<Way> ways() {
        return named(ways, Way.values(), Way::id, "way");
    }

    /** What is to be measured by some of the ways, as far as it makes sense. */
    List<Point> points(List<Way> some) {
        return Schedule.points(
                named(benchmarks, Benchmark.values(), Benchmark::id, "benchmark"),
                some,
                connections(),
                bytes(),
                rates(),
                routes.isEmpty() ? List.of() : named(routes, UcxRoute.all(), UcxRoute::id, "route"));
    }

    private static <T> List<T> named(List<String> names, T[] all, Function<T, String> id, String what) {
        for (String name : names) {
            if (Stream.of(all).noneMatch(one -> id.apply(one).equals(name))) {
                throw new IllegalArgumentException("there is no " + what + " " + name + ", but "
                        + Arrays.stream(all).map(id).collect(Collectors.joining(", ")));
            }
        }
        return Stream.of(all)
                .filter(one -> names.isEmpty() || names.contains(id.apply(one)))
                .toList();
    }

    private List<Integer> connections() {
        for (int count : connections) {
            if (count < 1 || count > MOST_CONNECTIONS) {
                throw new IllegalArgumentException("--connections takes 1 to " + MOST_CONNECTIONS + ", not " + count);
            }
        }
        return connections.stream().distinct().sorted().toList();
    }

    private List<Long> rates() {
        for (long rate : rates) {
            if (rate < 1 || rate > Timetable.MOST) {
                throw new IllegalArgumentException("--rates takes 1 to " + Timetable.MOST + ", not " + rate);
            }
        }
        return rates.stream().distinct().sorted().toList();
    }

    Comparison.Options options() {
        double each = seconds == null ? quick ? 0.3 : 1 : seconds;
        if (rounds < 1 || !(each > 0) || each > 3600 || !(warmUp > 0) || warmUp > 3600) {
            throw new IllegalArgumentException(
                    "--rounds, --seconds and --warm-up are positive, and seconds at most 3600");
        }
        if (messages != null && (messages < Pace.LEAST || messages > Pace.MOST)) {
            throw new IllegalArgumentException("--messages takes " + Pace.LEAST + " to " + Pace.MOST);
        }
        if (warmsOnce && messages == null) {
            throw new IllegalArgumentException("--warm-up-once needs --messages");
        }
        return new Comparison.Options(
                devices,
                rounds,
                each,
                warmUp,
                messages == null ? OptionalLong.empty() : OptionalLong.of(messages),
                threadEach,
                warmsOnce);
    }
}
