// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The operation of UCX that carries messages, and the transport. A point with a route is measured exactly as {@code
 * ucx_perftest} measures: its time is the median of the last messages, and the ends in Java keep no other times,
 * because that would take time.
 */
record UcxRoute(Transport transport, Operation operation) {

    /** What carries messages. */
    enum Transport {
        /** Shared memory. */
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

        @JsonValue
        String id() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What sends the messages. */
    enum Operation {
        TAG(""),
        STREAM(""),
        AM("ucp_"),
        PUT("ucp_");

        private final String prefix;

        Operation(String prefix) {
            this.prefix = prefix;
        }

        @JsonValue
        String id() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Every operation over every transport. */
    static UcxRoute[] all() {
        return Stream.of(Transport.values())
                .flatMap(
                        transport -> Stream.of(Operation.values()).map(operation -> new UcxRoute(transport, operation)))
                .toArray(UcxRoute[]::new);
    }

    String id() {
        return transport.id() + "-" + operation.id();
    }

    /**
     * The least number of messages in a run, however slow the machine is at the moment. A busy machine takes the
     * processor away for a time slice. In a short run most messages wait for that; in a long run few do, and the median
     * is of the others.
     */
    long leastMessages(long bytes) {
        return Math.min(transport == Transport.SHM ? 100_000 : 4_000, (1L << 28) / bytes);
    }

    /** The test of {@code ucx_perftest}. */
    String test(Benchmark benchmark) {
        return operation.prefix + operation.id() + (benchmark.isThroughput() ? "_bw" : "_lat");
    }
}
