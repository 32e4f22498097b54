// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import dev.isthmus.verbs.QueuePairType;
import java.util.Optional;
import java.util.stream.IntStream;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * A test with all of its options, and everything that perftest derives from its command line.
 *
 * @param server the host to connect to; empty for the server
 * @param sessions how many to run one after another
 * @param bytes the size of a message, with all sizes the largest
 */
public record Plan(
        PerfTest test,
        Optional<String> server,
        Place place,
        Traffic traffic,
        Queues queues,
        Reporting reporting,
        int sessions,
        int bytes) {

    /** All flags of a test. */
    public static final class Flags {
        @Mixin
        private Place place = new Place();

        @Mixin
        private Traffic traffic = new Traffic();

        @Mixin
        private Queues queues = new Queues();

        @Mixin
        private Reporting report = new Reporting();

        @Option(
                names = "--sessions",
                paramLabel = "N",
                description = "not in perftest: run N sessions in one JVM, so that later ones are warm;"
                        + " the other end needs this, too (default: ${DEFAULT-VALUE})")
        private int sessions = 1;

        @Parameters(arity = "0..1", paramLabel = "SERVER", description = "where the server waits")
        private Optional<String> server = Optional.empty();

        /** The defaults, for a command line to change. */
        public Flags() {}

        /**
         * The plan that follows from the flags.
         *
         * @throws IllegalArgumentException if they do not go together, or a number is out of its range
         */
        public Plan plan(PerfTest test) {
            RangeCheck.check("the number of sessions", sessions, 1, Integer.MAX_VALUE);
            traffic.settle(test);
            queues.settle(test, traffic);
            traffic.settleRate(test, queues.txDepth);
            place.settle(test);
            RangeCheck.require(server.isEmpty() || place.listen.isEmpty(), "--listen is for the server");
            RangeCheck.require(
                    !place.rdmaCm || traffic.transport != QueuePairType.UC, "UC is not supported in librdmacm");
            report.settle(test, traffic, server.isEmpty());
            return new Plan(test, server, place, traffic, queues, report, sessions, traffic.bytes);
        }
    }

    /**
     * The plan of a command line: perftest's flags, and for the client the host.
     *
     * @throws IllegalArgumentException if they do not go together, or a number is out of its range
     * @throws picocli.CommandLine.ParameterException if a flag is not known
     */
    public static Plan of(PerfTest test, String... arguments) {
        return CommandLine.populateCommand(new Flags(), arguments).plan(test);
    }

    boolean isClient() {
        return server.isPresent();
    }

    /** Whether this end posts sends of its own. */
    boolean sends() {
        return isClient() || !test.isBandwidth() || traffic.bidirectional;
    }

    /** Whether this end posts receives. */
    boolean receives() {
        return test.verb() == Verb.SEND && (!isClient() || !test.isBandwidth() || traffic.bidirectional);
    }

    boolean isSend() {
        return test.verb() == Verb.SEND;
    }

    boolean isDatagram() {
        return traffic.transport == QueuePairType.UD;
    }

    /** For UD, limits messages to one packet. */
    Plan within(int mtuBytes) {
        if (!isDatagram() || bytes <= mtuBytes) {
            return this;
        }
        RangeCheck.require(
                traffic.allSizes || traffic.size.isEmpty(),
                "a UD message is at most as long as the MTU, " + mtuBytes + " bytes, not " + bytes);
        return new Plan(test, server, place, traffic, queues, reporting, sessions, mtuBytes);
    }

    /** The sizes of the runs: the one that was asked for, or the powers of two from 2 on. */
    int[] sizes() {
        return traffic.allSizes
                ? IntStream.iterate(2, size -> size <= bytes, size -> 2 * size).toArray()
                : new int[] {bytes};
    }
}
