// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.ucx;

import dev.isthmus.perf.Turns;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * One cell of a comparison's table.
 *
 * @param operation tag, stream, am or put
 * @param bytes of a message
 * @param bandwidth whether it is bandwidth, otherwise latency
 * @param iterations of a run
 */
public record UcxCell(Transport transport, String operation, int bytes, boolean bandwidth, int iterations)
        implements Turns.Cell {

    /** What carries it. */
    public enum Transport {
        /** Shared memory. */
        SHM("posix"),
        /** TCP. */
        TCP("tcp");

        private final String transports;

        Transport(String transports) {
            this.transports = transports;
        }

        /** {@code UCX_TLS}. */
        public String transports() {
            return transports;
        }
    }

    /** The iterations before a run's own, which do not count; so many has {@code ucx_perftest} unless told otherwise. */
    static final int WARM_UP = 10_000;

    private static final int SHORT = 8;
    private static final int PAGE = 4096;
    private static final int LONG = 1 << 16;
    private static final int LONGEST = 1 << 20;

    /** All of them, as they are measured and printed. */
    static final List<UcxCell> ALL = Arrays.stream(Transport.values())
            .flatMap(transport -> Stream.of("tag", "stream", "am", "put")
                    .flatMap(operation -> Stream.of(
                            new UcxCell(transport, operation, SHORT, false),
                            new UcxCell(transport, operation, PAGE, false),
                            new UcxCell(transport, operation, LONG, true),
                            new UcxCell(transport, operation, LONGEST, true))))
            .toList();

    private UcxCell(Transport transport, String operation, int bytes, boolean bandwidth) {
        this(transport, operation, bytes, bandwidth, usual(transport, bytes));
    }

    /** The same with so many iterations. */
    UcxCell with(int count) {
        return new UcxCell(transport, operation, bytes, bandwidth, count);
    }

    @Override
    public String title() {
        return transport.name().toLowerCase(Locale.ROOT) + "-" + operation + (bandwidth ? "-bw-" : "-lat-") + bytes;
    }

    UcxTest test() {
        String prefix = operation.equals("am") || operation.equals("put") ? "ucp_" : "";
        return UcxTest.of(prefix + operation + (bandwidth ? "_bw" : "_lat"));
    }

    /** How many iterations take some tenths of a second. */
    private static int usual(Transport transport, int bytes) {
        boolean memory = transport == Transport.SHM;
        return switch (bytes) {
            case SHORT -> memory ? 100_000 : 4_000;
            case PAGE -> memory ? 40_000 : 4_000;
            case LONG -> memory ? 4_000 : 2_000;
            default -> memory ? 400 : 200;
        };
    }

    /** The flags of {@code ucx_perftest} that choose it. */
    List<String> flags(int warmUp) {
        return List.of("-t", test().title(), "-s", "" + bytes, "-n", "" + iterations, "-w", "" + warmUp);
    }

    /** The figure of a run: the median latency, or the bandwidth of all. */
    Turns.Figure figure(UcxPerftest.Results results) {
        return new Turns.Figure(
                bandwidth ? results.megabytesPerSecond() : results.percentileMicros(), results.averageMicros());
    }

    /** What the figure is in. */
    String unit() {
        return bandwidth ? "MB/s" : "usec";
    }
}
