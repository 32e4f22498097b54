// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import dev.isthmus.verbs.QueuePairType;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The queues of a test. Defaults follow from the other flags, as in perftest. */
final class Queues {

    private static final int DEFAULT_RECEIVES = 512;

    /** UC and UD lose messages that find no receive, so there is one receive for each message, up to this many. */
    private static final int MAX_LOSSLESS_RECEIVES = 16_000;

    /** Above this, every send is signaled: unsignaled ones would delay the figures. */
    private static final int MODERATED_BYTES = 8192;

    @Option(
            names = {"-q", "--qp"},
            paramLabel = "N",
            description = "queue pairs (bandwidth; default: ${DEFAULT-VALUE})")
    int pairs = 1;

    @Option(
            names = {"-t", "--tx-depth"},
            paramLabel = "N",
            description = "sends outstanding per queue pair (default: bandwidth 128, latency 1)")
    private Optional<Integer> wantedTxDepth = Optional.empty();

    @Option(
            names = {"-r", "--rx-depth"},
            paramLabel = "N",
            description = "receives posted ahead, for send (default: 512)")
    private Optional<Integer> wantedRxDepth = Optional.empty();

    @Option(
            names = {"-l", "--post_list"},
            paramLabel = "N",
            description = "sends posted by one call (bandwidth; default: ${DEFAULT-VALUE})")
    int postList = 1;

    @Option(
            names = {"-Q", "--cq-mod"},
            paramLabel = "N",
            description = "signal one send in N (default: 100; 1 above 8 KiB)")
    private Optional<Integer> wantedCqMod = Optional.empty();

    @Option(
            names = {"-I", "--inline_size"},
            paramLabel = "BYTES",
            description = "send inline up to this size (default: perftest's; for latency 188 to 236 on devices that it"
                    + " knows, otherwise 0)")
    Optional<Integer> inline = Optional.empty();

    @Option(names = "--use-srq", description = "use a shared receive queue (send)")
    boolean shared;

    @Option(
            names = {"-o", "--outs"},
            paramLabel = "N",
            description = "outstanding reads or atomics (default: the device's maximum)")
    Optional<Integer> outstanding = Optional.empty();

    /** How many sends may be outstanding on each queue pair. */
    int txDepth;

    /** How many receives are posted ahead on each, or on the shared receive queue. */
    int rxDepth;

    /** One of this many sends is signaled. */
    int cqMod;

    /** Checks the flags, and derives what follows from them. */
    void settle(PerfTest test, Traffic traffic) {
        int usual = test.isBandwidth() ? 128 : 1;
        txDepth = RangeCheck.check("the transmit depth", wantedTxDepth.orElse(usual), 1, 15_000);
        if (!traffic.isTimed()) {
            txDepth = Math.min(txDepth, traffic.iterations);
        }
        RangeCheck.check("the number of queue pairs", pairs, 1, 16_384);
        RangeCheck.require(pairs == 1 || test.isBandwidth(), "only bandwidth tests have several queue pairs");
        RangeCheck.require(postList == 1 || test.isBandwidth(), "only bandwidth tests have post lists");
        RangeCheck.require(!shared || test.verb() == Verb.SEND, "only send tests have a shared receive queue");
        RangeCheck.require(inline.isEmpty() || !test.verb().isFetch(), "no data goes inline with " + test.command());
        RangeCheck.require(outstanding.isEmpty() || test.verb().isFetch(), "-o is for reads and atomics");
        RangeCheck.check("the inline size", inline.orElse(0), 0, 912);
        RangeCheck.check("the post list", postList, 1, 15_000);
        RangeCheck.check("the outstanding reads", outstanding.orElse(0), 0, 65535);
        rxDepth = rxDepthOf(test, traffic);
        RangeCheck.require(
                !shared || pairs <= rxDepth, "a shared receive queue must be deeper than the number of queue pairs");
        cqMod = cqModOf(traffic);
    }

    private int rxDepthOf(PerfTest test, Traffic traffic) {
        if (test.verb() != Verb.SEND) {
            RangeCheck.require(wantedRxDepth.orElse(1) == 1, "only send tests have receives");
            return 1;
        }
        int rx = RangeCheck.check("the receive depth", wantedRxDepth.orElse(DEFAULT_RECEIVES), 1, 16_384);
        if (!traffic.isTimed()) {
            rx = Math.min(rx, traffic.iterations);
            if (traffic.transport != QueuePairType.RC && rx == DEFAULT_RECEIVES) {
                rx = Math.min(traffic.iterations, MAX_LOSSLESS_RECEIVES);
            }
        }
        return traffic.allSizes ? rx : (rx + 1) / 2 * 2;
    }

    private int cqModOf(Traffic traffic) {
        int every = RangeCheck.check("the CQ moderation", wantedCqMod.orElse(100), 1, 1024);
        boolean large = traffic.bytes > MODERATED_BYTES
                && traffic.transport != QueuePairType.UD
                && !traffic.allSizes
                && !traffic.events;
        if (large && wantedCqMod.isEmpty()) {
            every = 1;
        }
        every = Math.min(every, txDepth);
        if (postList == 1) {
            return every;
        }
        RangeCheck.require(postList <= txDepth, "the post list must not exceed the transmit depth, " + txDepth);
        RangeCheck.require(
                traffic.isTimed() || traffic.iterations % postList == 0,
                "the iterations must be a multiple of the post list");
        RangeCheck.require(
                wantedCqMod.isEmpty() || postList % every == 0,
                "the post list must be a multiple of the CQ moderation");
        return wantedCqMod.isEmpty() ? postList : every;
    }
}
