// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.RdmaException;
import dev.isthmus.perf.common.Jar;
import dev.isthmus.ucx.UcxVersion;
import io.netty.channel.epoll.Epoll;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Which ways a machine offers, and which benchmarks suit each of them. */
final class Availability {

    private Availability() {}

    /** Whether a point makes sense, if points of UCX have routes or if they have none. */
    static boolean has(Point point, boolean routed) {
        Way way = point.way();
        boolean onRoute = routed && way.family() == Way.Family.UCX;
        if (point.route().isPresent() != onRoute) {
            return false;
        }
        boolean routable = point.benchmark() == Benchmark.ONE_WAY || point.benchmark() == Benchmark.PING_PONG;
        return onRoute ? routable && point.connections() == 1 : has(way, point.benchmark(), point.connections());
    }

    private static boolean has(Way way, Benchmark benchmark, int connections) {
        if (way.family() == Way.Family.STREAM && connections > 1) {
            return false;
        }
        boolean many = way.family() == Way.Family.NETTY || way == Way.NIO_NON_BLOCKING;
        if (connections > Selection.MOST_OF_OTHERS && !many) {
            return false; // the others have a process, or a thread, for each
        }
        return switch (benchmark) {
            case ONE_WAY -> true;
            case BOTH_WAYS -> way.family() != Way.Family.STREAM && way.family() != Way.Family.NETTY;
            case ONE_SIDED ->
                connections == 1
                        && switch (way) {
                            case C_VERBS_WRITE, C_VERBS_READ, JAVA_VERBS_WRITE, JAVA_VERBS_READ, C_UCX, JAVA_UCX ->
                                true;
                            default -> false;
                        };
            // C's tools begin a round trip when the previous one has returned, and so do the programs that run their
            // protocols.
            case FIXED_RATE ->
                switch (way) {
                    case NIO_BLOCKING, NIO_NON_BLOCKING, NETTY_TCP, NETTY_EPOLL, NETTY_PROVIDER, NETTY_RDMA -> true;
                    case C_VERBS_SEND, JAVA_VERBS_SEND, JAVA_UCX -> connections == 1;
                    default -> false;
                };
            case PING_PONG -> way != Way.C_VERBS_READ && way != Way.JAVA_VERBS_READ;
        };
    }

    /** The ways that this machine does not offer, each with the reason. */
    static Map<Way, String> missing(Collection<Way> ways, Venue venue) {
        Map<Way, String> missing = new LinkedHashMap<>();
        for (Way way : ways) {
            reason(way, venue).ifPresent(reason -> missing.put(way, reason));
        }
        return missing;
    }

    private static Optional<String> reason(Way way, Venue venue) {
        return switch (way) {
            case C_VERBS_SEND, C_VERBS_WRITE, C_VERBS_READ -> device(venue).or(() -> tool("ib_send_lat", "perftest"));
            case JAVA_VERBS_SEND, JAVA_VERBS_WRITE, JAVA_VERBS_READ -> device(venue);
            case C_UCX -> tool("ucx_perftest", "ucx-utils");
            case JAVA_UCX -> ucx();
            case JUCX -> jar("org.openucx", "jucx").or(Availability::ucx);
            case NIO_BLOCKING, NIO_NON_BLOCKING -> Optional.empty();
            case C_SOCKETS -> addresses(venue).or(() -> tool(StreamTool.PROGRAM, "rdmacm-utils"));
            case JAVA_SOCKETS -> addresses(venue);
            case C_TCP -> tool(StreamTool.PROGRAM, "rdmacm-utils");
            case NETTY_TCP -> netty();
            case NETTY_EPOLL -> netty().or(Availability::epoll);
            case NETTY_PROVIDER, NETTY_RDMA -> netty().or(() -> addresses(venue));
        };
    }

    private static Optional<String> device(Venue venue) {
        return venue.hasDevices() ? Optional.empty() : Optional.of("there is no RDMA device");
    }

    private static Optional<String> addresses(Venue venue) {
        return device(venue)
                .or(() -> venue.client().hasAddress() && venue.server().hasAddress()
                        ? Optional.empty()
                        : Optional.of("an RDMA device has no IPv4 address, by which sockets connect"));
    }

    private static Optional<String> tool(String program, String debianPackage) {
        boolean there = Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
        return there ? Optional.empty() : Optional.of("install " + debianPackage + ", which has " + program);
    }

    private static Optional<String> ucx() {
        try {
            UcxVersion.loaded();
            return Optional.empty();
        } catch (RdmaException e) {
            return Optional.of(e.getMessage());
        }
    }

    private static Optional<String> netty() {
        return jar("io.netty", "netty-transport");
    }

    private static Optional<String> epoll() {
        return Epoll.isAvailable()
                ? Optional.empty()
                : Optional.of("" + Epoll.unavailabilityCause().getMessage());
    }

    /** What to say if a jar is missing: the tools come without the jars of others' libraries that are only compared. */
    private static Optional<String> jar(String group, String name) {
        return Jar.version(name).isPresent()
                ? Optional.empty()
                : Optional.of("the jar " + group + ":" + name + " is not on the class path");
    }
}
