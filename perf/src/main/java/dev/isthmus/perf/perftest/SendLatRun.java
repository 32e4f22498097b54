package dev.isthmus.perf.perftest;

import static dev.isthmus.verbs.AccessFlag.LOCAL_WRITE;
import static dev.isthmus.verbs.QueuePairState.INIT;
import static dev.isthmus.verbs.QueuePairState.RTR;
import static dev.isthmus.verbs.QueuePairState.RTS;
import static dev.isthmus.verbs.QueuePairType.RC;

import dev.isthmus.verbs.AddressVector;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.GidEntry;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.QueuePairTransition;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.lang.foreign.Arena;
import java.util.concurrent.ThreadLocalRandom;

/** What comes after the terms of a session are agreed on: queues, addresses, connection, ping-pong, good-bye. */
final class SendLatRun {

    /** The numbers that perftest connects with. */
    private static final int MIN_RNR_TIMER = 12;

    private static final int TIMEOUT = 14;
    private static final int RETRIES = 7;
    private static final int HOP_LIMIT = 255;

    private final SendLatOptions options;
    private final SendLat.Setup setup;
    private final PerftestConnection connection;
    private final PerftestSession session;
    private final SendLat.Listener listener;
    private final int psn = ThreadLocalRandom.current().nextInt(1 << 24);

    SendLatRun(
            SendLatOptions options,
            SendLat.Setup setup,
            PerftestConnection connection,
            PerftestSession session,
            SendLat.Listener listener) {
        this.options = options;
        this.setup = setup;
        this.connection = connection;
        this.session = session;
        this.listener = listener;
    }

    long[] run(DeviceContext context) throws PerftestException {
        // Sends come from the first half of the buffer and receives go to the second, each on pages of its own.
        int page = session.terms().cycleBuffer();
        long half = Math.ceilDiv(options.bytes(), page) * (long) page;
        try (var arena = Arena.ofConfined();
                var pd = context.allocateProtectionDomain();
                var region = pd.register(arena.allocate(2 * half, page), LOCAL_WRITE);
                var sendQueue = context.createCompletionQueue(1);
                var receiveQueue = context.createCompletionQueue(options.receiveDepth());
                var qp = pd.createQueuePair(
                        RC,
                        sendQueue,
                        receiveQueue,
                        config -> config.maxSendWr(1)
                                .maxRecvWr(options.receiveDepth())
                                .maxInline(setup.inlineBytes()))) {
            PerftestDestination mine = describe(qp, region, half);
            PerftestDestination theirs = session.exchange(mine);
            connect(qp, theirs);
            session.handShake(mine);
            session.handShake(mine);
            listener.connected(session.terms().mtu(), mine, theirs);
            long[] posted = new long[options.iterations()];
            var loop = loop(region, half, sendQueue, receiveQueue, qp, posted);
            loop.postReceives();
            session.handShake(mine);
            if (connection.isClient()) {
                loop.runClient();
            } else {
                loop.runServer();
            }
            session.finish(mine);
            return posted;
        }
    }

    private PerftestDestination describe(QueuePair qp, MemoryRegion region, long half) {
        return new PerftestDestination(
                setup.lid(),
                1,
                qp.qpNum(),
                psn,
                region.rkey(),
                region.address() + half,
                setup.gid().map(GidEntry::gid),
                0);
    }

    private void connect(QueuePair qp, PerftestDestination theirs) {
        qp.modify(
                QueuePairTransition.to(INIT).pkeyIndex(0).port(options.ibPort()).access(LOCAL_WRITE));
        qp.modify(QueuePairTransition.to(RTR)
                .path(pathTo(theirs))
                .pathMtu(session.terms().mtu())
                .destQpNum(theirs.qpNum())
                .rqPsn(theirs.psn())
                .maxDestRdAtomic(1)
                .minRnrTimer(MIN_RNR_TIMER));
        qp.modify(QueuePairTransition.to(RTS)
                .sqPsn(psn)
                .timeout(TIMEOUT)
                .retryCount(RETRIES)
                .rnrRetry(RETRIES)
                .maxRdAtomic(1));
    }

    private AddressVector pathTo(PerftestDestination theirs) {
        if (setup.gid().isEmpty()) {
            return AddressVector.local(options.ibPort(), theirs.lid());
        }
        return AddressVector.global(setup.gid().get(), theirs.gid().orElseThrow())
                .withHopLimit(HOP_LIMIT)
                .withDlid(theirs.lid());
    }

    private SendLatLoop loop(
            MemoryRegion region,
            long half,
            CompletionQueue sendQueue,
            CompletionQueue receiveQueue,
            QueuePair qp,
            long[] posted) {
        var send = SendRequest.prepare(region)
                .range(0, options.bytes())
                .signaled(true)
                .inline(options.bytes() <= setup.inlineBytes());
        var receive = ReceiveRequest.prepare(region).range(half, options.bytes());
        return new SendLatLoop(
                qp,
                sendQueue,
                receiveQueue,
                WorkCompletions.allocate(1),
                WorkCompletions.allocate(1),
                send,
                receive,
                options.receiveDepth(),
                posted);
    }
}
