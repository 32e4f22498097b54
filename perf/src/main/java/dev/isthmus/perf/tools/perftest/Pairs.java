// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import static dev.isthmus.verbs.QueuePairState.INIT;
import static dev.isthmus.verbs.QueuePairState.RTR;
import static dev.isthmus.verbs.QueuePairState.RTS;
import static dev.isthmus.verbs.QueuePairType.RC;

import dev.isthmus.verbs.AddressVector;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.QueuePairTransition;
import dev.isthmus.verbs.QueuePairType;

/** Queue pairs that are connected by hand, with the addresses that the ends have exchanged. */
final class Pairs {

    /** The key that perftest's datagrams carry. */
    static final int QKEY = 0x11111111;

    /** The numbers that perftest connects with. */
    private static final int MIN_RNR_TIMER = 12;

    private static final int RETRIES = 7;
    private static final int HOP_LIMIT = 255;

    private Pairs() {}

    /** Creates them, ready to be connected. */
    static void create(Endpoint end) {
        QueuePairType type = end.plan.traffic().transport;
        for (int i = 0; i < end.plan.queues().pairs; i++) {
            QueuePair pair =
                    end.add(end.own(end.pd.createQueuePair(type, end.sendQueue, end.receiveQueue, end::configure)));
            var init = QueuePairTransition.to(INIT).pkeyIndex(0).port(end.plan.place().ibPort);
            pair.modify(
                    end.plan.isDatagram()
                            ? init.qkey(QKEY)
                            : init.access(end.plan.test().verb().access()));
        }
    }

    /** Connects one to its peer, or brings it up for datagrams and finds the path to the peer. */
    static void connect(Endpoint end, int index, PerftestDestination mine, PerftestDestination theirs) {
        QueuePair pair = end.pair(index);
        AddressVector path = pathTo(end, theirs);
        QueuePairTransition rtr = QueuePairTransition.to(RTR);
        QueuePairTransition rts = QueuePairTransition.to(RTS).sqPsn(mine.psn());
        if (!end.plan.isDatagram()) {
            rtr.path(path).pathMtu(end.terms.mtu()).destQpNum(theirs.qpNum()).rqPsn(theirs.psn());
        }
        if (end.plan.traffic().transport == RC) {
            rtr.maxDestRdAtomic(mine.outReads()).minRnrTimer(MIN_RNR_TIMER);
            rts.timeout(end.plan.place().qpTimeout)
                    .retryCount(RETRIES)
                    .rnrRetry(RETRIES)
                    .maxRdAtomic(Math.min(theirs.outReads(), end.setup.outReads()));
        }
        pair.modify(rtr);
        pair.modify(rts);
        if (end.plan.isDatagram() && end.plan.sends()) {
            end.add(new Endpoint.Target(end.own(end.pd.createAddressHandle(path)), theirs.qpNum(), QKEY));
        }
    }

    private static AddressVector pathTo(Endpoint end, PerftestDestination theirs) {
        Setup setup = end.setup;
        Place place = end.plan.place();
        AddressVector path = setup.gid().isEmpty()
                ? AddressVector.local(place.ibPort, theirs.lid())
                : AddressVector.global(setup.gid().get(), theirs.gid().orElseThrow())
                        .withHopLimit(HOP_LIMIT)
                        .withDlid(theirs.lid());
        return path.withServiceLevel(place.serviceLevel);
    }
}
