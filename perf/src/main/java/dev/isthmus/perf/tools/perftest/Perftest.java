// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import dev.isthmus.perf.tools.PerftestException;
import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.GidEntry;
import dev.isthmus.verbs.attributes.Mtu;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/**
 * One end of a test, for a whole session. The other end is perftest's program or another one of these, in either role.
 * Everything is created for the session and closed with it, as in C.
 */
public final class Perftest {

    /** Buffers begin on page boundaries; perftest calls this the cycle buffer. */
    private static final int PAGE = 4096;

    private static final int CACHE_LINE = 64;

    private static final PerftestDestination NOTHING = new PerftestDestination(0, 0, 0, 0, 0, 0, Optional.empty(), 0);

    private final Plan plan;
    private final Observer observer;

    private Perftest(Plan plan, Observer observer) {
        this.plan = plan;
        this.observer = observer;
    }

    /**
     * Runs one session.
     *
     * @param plan the test; both ends must have the same
     * @param patience for how long the server waits for a client, zero without limit; the client does not wait
     */
    public static void run(Plan plan, Duration patience, Observer observer) throws PerftestException {
        Device device = plan.place().device.map(Device::named).orElseGet(Device::first);
        try (DeviceContext context = device.open()) {
            var setup = Setup.of(context, plan, plan.place().ibPort);
            try (OutOfBandChannel channel = meet(plan, patience, observer)) {
                var session = PerftestSession.open(channel, PAGE, CACHE_LINE, setup.mtu());
                Mtu mtu = session.terms().mtu();
                new Perftest(plan.within(mtu.bytes()), observer).run(context, session);
            }
        }
        observer.finished();
    }

    private static OutOfBandChannel meet(Plan plan, Duration patience, Observer observer) throws PerftestException {
        int port = plan.place().tcpPort;
        if (plan.place().exchangeByCm) {
            return plan.isClient()
                    ? CmChannel.connect(
                            new InetSocketAddress(plan.server().get(), port), OutOfBandChannel.DEFAULT_DEADLINE)
                    : CmChannel.accept(plan.place().listenAt(), patience, observer::waiting);
        }
        return plan.isClient()
                ? PerftestConnection.connect(plan.server().get(), port, OutOfBandChannel.DEFAULT_DEADLINE)
                : PerftestConnection.accept(
                        plan.place().listenAt(), patience, OutOfBandChannel.DEFAULT_DEADLINE, observer::waiting);
    }

    private void run(DeviceContext context, PerftestSession session) throws PerftestException {
        try (var end = new Endpoint(plan, session.terms())) {
            if (plan.place().rdmaCm) {
                connectByCm(end, session);
            } else {
                end.open(context, plan.place().ibPort);
                Pairs.create(end);
            }
            List<PerftestDestination> theirs = introduce(end, session);
            if (plan.test().isBandwidth()) {
                new BandwidthRuns(end, plan, session, theirs, observer).run();
            } else {
                new LatencyRuns(end, session, theirs, observer).run();
            }
        }
    }

    private void connectByCm(Endpoint end, PerftestSession session) throws PerftestException {
        try (var pairs = new CmPairs(end)) {
            if (plan.isClient()) {
                session.handShake(NOTHING);
                pairs.connectAll();
            } else {
                pairs.listen();
                session.handShake(NOTHING);
                pairs.acceptAll();
            }
            session.handShake(NOTHING);
        }
    }

    /**
     * Tells each end about the other's queue pairs, connects them, and makes sure that both ends are connected. That
     * takes one handshake more than there are queue pairs, and another one first for latency tests other than send_lat.
     */
    private List<PerftestDestination> introduce(Endpoint end, PerftestSession session) throws PerftestException {
        int count = plan.queues().pairs;
        List<PerftestDestination> mine = new ArrayList<>();
        List<PerftestDestination> theirs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            mine.add(describe(end, i));
        }
        if (!plan.test().isBandwidth() && !plan.isSend()) {
            session.handShake(mine.get(0));
        }
        for (int i = 0; i < count; i++) {
            theirs.add(plan.place().rdmaCm ? session.handShake(mine.get(i)) : session.exchange(mine.get(i)));
        }
        if (!plan.place().rdmaCm) {
            for (int i = 0; i < count; i++) {
                Pairs.connect(end, i, mine.get(i), theirs.get(i));
            }
        }
        for (int i = 0; i < count + 1; i++) {
            session.handShake(mine.get(plan.isSend() ? Math.max(0, i - 1) : i % count));
        }
        observer.connected(plan, end.setup, session.terms(), mine, theirs);
        Duration patience = OutOfBandChannel.DEFAULT_DEADLINE
                .plusSeconds(plan.place().runLimitSeconds)
                .plusSeconds(plan.traffic().seconds);
        session.introduced(mine.get(0), patience);
        return theirs;
    }

    private PerftestDestination describe(Endpoint end, int index) {
        return new PerftestDestination(
                end.setup.lid(),
                end.setup.outReads(),
                end.pair(index).qpNum(),
                ThreadLocalRandom.current().nextInt(1 << 24),
                end.memory.region().rkey(),
                end.memory.region().address() + end.receiveOffset(index),
                end.setup.gid().map(GidEntry::gid),
                0);
    }
}
