// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.ucx;

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
 */
record UcxCell(Transport transport, String operation, int bytes, boolean bandwidth) {

    /** What carries it. */
    enum Transport {
        SHM("posix"),
        TCP("tcp");

        private final String transports;

        Transport(String transports) {
            this.transports = transports;
        }

        /** {@code UCX_TLS}. */
        String transports() {
            return transports;
        }
    }

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

    String title() {
        return transport.name().toLowerCase(Locale.ROOT) + "-" + operation + (bandwidth ? "-bw-" : "-lat-") + bytes;
    }

    UcxTest test() {
        String prefix = operation.equals("am") || operation.equals("put") ? "ucp_" : "";
        return UcxTest.of(prefix + operation + (bandwidth ? "_bw" : "_lat"));
    }

    /** How many iterations take some tenths of a second. */
    int iterations() {
        boolean memory = transport == Transport.SHM;
        return switch (bytes) {
            case SHORT -> memory ? 100_000 : 4_000;
            case PAGE -> memory ? 40_000 : 4_000;
            case LONG -> memory ? 4_000 : 2_000;
            default -> memory ? 400 : 200;
        };
    }

    /** The flags of {@code ucx_perftest} that choose it. */
    List<String> flags(int iterations, int warmUp) {
        return List.of("-t", test().title(), "-s", "" + bytes, "-n", "" + iterations, "-w", "" + warmUp);
    }

    /** The figure of a run: the median latency, or the bandwidth of all. */
    double figure(UcxPerftest.Results results) {
        return bandwidth ? results.megabytesPerSecond() : results.percentileMicros();
    }

    /** What the figure is in. */
    String unit() {
        return bandwidth ? "MB/s" : "usec";
    }
}
