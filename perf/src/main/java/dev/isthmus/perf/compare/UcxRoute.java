// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import java.util.Locale;

/**
 * By which of UCX's operations messages go, and over what. A point that has one is measured as {@code ucx_perftest} measures
 * and no more: its time is the median of the last messages, and the ends in Java keep no other times, which would take some.
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

        String id() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What sends them. */
    enum Operation {
        TAG(""),
        STREAM(""),
        AM("ucp_"),
        PUT("ucp_");

        private final String prefix;

        Operation(String prefix) {
            this.prefix = prefix;
        }

        String id() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    String id() {
        return transport.id() + "-" + operation.id();
    }

    /**
     * How many messages a run has at least, however slow a machine is for a moment. A busy machine takes the processor away
     * for a time slice: in a short run most messages wait for that, in a long one few do, and its median is of the others.
     */
    long leastMessages(long bytes) {
        return Math.min(transport == Transport.SHM ? 100_000 : 4_000, (1L << 28) / bytes);
    }

    /** The test of {@code ucx_perftest}. */
    String test(Benchmark benchmark) {
        return operation.prefix + operation.id() + (benchmark.isThroughput() ? "_bw" : "_lat");
    }
}
