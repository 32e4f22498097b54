// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import dev.isthmus.verbs.QueuePairType;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * A test with all of its options, and everything that perftest derives from its command line.
 *
 * @param test which one
 * @param server the host to connect to; empty for the server
 * @param place where it runs, and how the ends find each other
 * @param traffic what goes over the wire
 * @param queues the queues
 * @param reporting what is printed
 * @param sessions how many to run one after another
 */
public record Plan(
        PerfTest test,
        Optional<String> server,
        Place place,
        Traffic traffic,
        Queues queues,
        Reporting reporting,
        int sessions) {

    /** All flags of a test. */
    public static final class Flags {
        @Mixin
        private PlaceOptions place = new PlaceOptions();

        @Mixin
        private TrafficOptions traffic = new TrafficOptions();

        @Mixin
        private QueueOptions queues = new QueueOptions();

        @Mixin
        private ReportOptions report = new ReportOptions();

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
         * @param test which test they are for
         * @return the plan
         * @throws IllegalArgumentException if they do not go together, or a number is out of its range
         */
        public Plan plan(PerfTest test) {
            RangeCheck.check("the number of sessions", sessions, 1, Integer.MAX_VALUE);
            int tx = queues.txDepth(test, traffic);
            Traffic what = traffic.traffic(test, tx);
            Place where = place.place(test);
            RangeCheck.require(server.isEmpty() || where.listen().isEmpty(), "--listen is for the server");
            RangeCheck.require(
                    !where.rdmaCm() || what.transport() != QueuePairType.UC, "UC is not supported in librdmacm");
            return new Plan(
                    test,
                    server,
                    where,
                    what,
                    queues.queues(test, what, tx),
                    report.reporting(test, what, server.isEmpty()),
                    sessions);
        }
    }

    /**
     * The plan of a command line.
     *
     * @param test which test
     * @param arguments its flags, perftest's, and for the client the host
     * @return the plan
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
        return isClient() || !test.isBandwidth() || traffic.bidirectional();
    }

    /** Whether this end posts receives. */
    boolean receives() {
        return test.verb() == Verb.SEND && (!isClient() || !test.isBandwidth() || traffic.bidirectional());
    }

    boolean isSend() {
        return test.verb() == Verb.SEND;
    }

    boolean isDatagram() {
        return traffic.transport() == QueuePairType.UD;
    }

    /** For UD, limits messages to one packet. */
    Plan within(int mtuBytes) {
        if (!isDatagram() || traffic.bytes() <= mtuBytes) {
            return this;
        }
        RangeCheck.require(
                traffic.allSizes() || !traffic.sizeGiven(),
                "a UD message is at most as long as the MTU, " + mtuBytes + " bytes, not " + traffic.bytes());
        return new Plan(test, server, place, traffic.withBytes(mtuBytes), queues, reporting, sessions);
    }
}
