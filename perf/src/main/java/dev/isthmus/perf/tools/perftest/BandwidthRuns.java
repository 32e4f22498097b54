// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import dev.isthmus.perf.tools.PerftestException;
import java.util.List;
import java.util.Optional;

/** The runs of a bandwidth test, with the handshakes and reports that each kind of test has around them. */
record BandwidthRuns(
        Endpoint end, Plan plan, PerftestSession session, List<PerftestDestination> theirs, Observer observer) {

    void run() throws PerftestException {
        observer.columns();
        if (plan.isSend()) {
            runSends();
        } else if (plan.sends()) {
            runOneSided();
        } else {
            // the device answers by itself; the client reports at the end
            session.handShake();
            observer.bandwidth(session.exchange(new Bandwidth(0, 0, 0, 0, 0)), Optional.empty());
        }
        session.finish();
    }

    private void runSends() throws PerftestException {
        for (int bytes : plan.sizes()) {
            var requests = new Requests(end, theirs, bytes);
            var phases = new Phases(plan.traffic());
            var clock = new BandwidthClock(plan, bytes);
            var waiter = new CompletionWaiter(end, phases);
            var sender = plan.sends() ? new BandwidthSender(end, requests, phases, clock, bytes) : null;
            var receiver = plan.receives() ? new BandwidthReceiver(end, requests, phases, clock) : null;
            if (receiver != null) {
                receiver.postReceives();
            }
            session.handShake();
            if (receiver == null) {
                runAlone(sender, waiter);
            } else if (sender == null) {
                receiver.run(waiter);
            } else {
                runBoth(sender, receiver, waiter);
            }
            long sampled = (sender == null ? 0 : sender.sampled) + (receiver == null ? 0 : receiver.sampled);
            boolean exchanges = plan.traffic().bidirectional && !plan.traffic().isTimed();
            report(figures(clock, sampled, phases), exchanges);
            if (plan.traffic().allSizes) {
                session.handShake();
            }
        }
    }

    private static void runAlone(BandwidthSender sender, CompletionWaiter waiter) throws PerftestException {
        sender.clock.begin();
        sender.run(waiter);
        sender.clock.end();
    }

    /** The server sends once a message has arrived, as the client is surely there then. */
    private void runBoth(BandwidthSender sender, BandwidthReceiver receiver, CompletionWaiter waiter)
            throws PerftestException {
        boolean begun = plan.isClient();
        sender.clock.begin();
        if (begun) {
            sender.phases.start();
        }
        while (!sender.isDone() || !receiver.isDone()) {
            begun |= receiver.hasBegun();
            turn(begun, sender, receiver, waiter);
        }
        sender.clock.end();
    }

    private static void turn(boolean begun, BandwidthSender sender, BandwidthReceiver receiver, CompletionWaiter waiter)
            throws PerftestException {
        if (begun) {
            sender.post();
        }
        if (receiver.take() + sender.reap() > 0) {
            waiter.busy();
        } else if (waiter.idle()) {
            throw waiter.silent("nothing from the peer");
        }
    }

    private void runOneSided() throws PerftestException {
        boolean both = plan.traffic().bidirectional;
        Bandwidth last = null;
        for (int bytes : plan.sizes()) {
            var phases = new Phases(plan.traffic());
            var clock = new BandwidthClock(plan, bytes);
            var requests = new Requests(end, theirs, bytes);
            var sender = new BandwidthSender(end, requests, phases, clock, bytes);
            if (both) {
                session.handShake();
            }
            runAlone(sender, new CompletionWaiter(end, phases));
            if (both && plan.traffic().allSizes) {
                session.handShake();
            }
            last = figures(clock, sender.sampled, phases);
            report(last, both);
        }
        if (!both) {
            session.handShake();
            session.exchange(last);
        }
    }

    private Bandwidth figures(BandwidthClock clock, long sampled, Phases phases) {
        return plan.traffic().isTimed() ? clock.figures(sampled, phases.nanos(), 0) : clock.figures();
    }

    private void report(Bandwidth mine, boolean exchanges) throws PerftestException {
        observer.bandwidth(mine, exchanges ? Optional.of(session.exchange(mine)) : Optional.empty());
    }
}
