// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import dev.isthmus.perf.tools.PerftestException;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.SharedReceiveQueue;
import dev.isthmus.verbs.WorkCompletions;

/**
 * The ping-pong of send_lat: for each message, exactly what {@code ib_send_lat} does. One send of several is signaled,
 * and its completion is awaited at once. A receive is reposted for each message as long as more than a queueful will
 * come. Allocates nothing.
 *
 * <p>A message is a method, not the body of a long loop, so that C2 compiles it soon: docs/instructions.md, "Lines
 * written for the JIT".
 */
final class SendLoop extends LatencyLoop {

    private final SharedReceiveQueue shared; // null without
    private final CompletionQueue receiveQueue;
    private final WorkCompletions received = WorkCompletions.allocate(1);
    private final SendRequest send;
    private final SendRequest unsignaled;
    private final ReceiveRequest receive;
    private final int receiveDepth;
    private final int signalEvery;
    private long receives;
    private int sinceSignal;

    SendLoop(Endpoint end, Requests requests, Phases phases) {
        super(end, phases);
        shared = end.shared;
        receiveQueue = end.receiveQueue;
        send = requests.send(0, 0, true);
        unsignaled = requests.send(0, 0, false);
        receive = requests.receives(0)[0];
        receiveDepth = end.plan.queues().rxDepth;
        signalEvery = end.plan.queues().cqMod;
    }

    /** Posts the receives for the first messages, before the peer may send. */
    void postReceives() throws PerftestException {
        for (int i = 0; i < receiveDepth; i++) {
            postReceive();
        }
    }

    /** The client sends first, and the last message is an answer. */
    @Override
    void run(boolean client) throws PerftestException {
        if (client) {
            send(0);
        }
        for (int i = client ? 1 : 0; i < posted.length; i++) {
            awaitMessage();
            send(i);
        }
        if (client) {
            awaitMessage();
        }
    }

    @Override
    void runForSomeTime(boolean client) throws PerftestException {
        if (client) {
            post(false);
        }
        while (!phases.isEnd() && awaitTimedMessage()) {
            if (!phases.isEnd()) {
                post(false);
            }
        }
    }

    private boolean awaitTimedMessage() throws PerftestException {
        if (receiveQueue.poll(received) == 0 && waiter.await(receiveQueue, received, "no message from the peer") == 0) {
            return false;
        }
        phases.start();
        checkReceived();
        if (phases.isSampling()) {
            sampled++;
        }
        postReceive();
        return true;
    }

    private void awaitMessage() throws PerftestException {
        if (receiveQueue.poll(received) == 0) {
            waiter.await(receiveQueue, received, "no message from the peer");
        }
        checkReceived();
        if (receives + receiveDepth <= posted.length) {
            postReceive();
        }
    }

    private void checkReceived() throws PerftestException {
        if (!received.isSuccess(0)) {
            throw CompletionWaiter.failed("receive", receives, received, 0);
        }
        receives++;
    }

    private void send(int index) throws PerftestException {
        posted[index] = System.nanoTime();
        post(index == posted.length - 1);
    }

    private void post(boolean last) throws PerftestException {
        boolean signals = ++sinceSignal == signalEvery || last;
        if (!qp.tryPost(signals ? send : unsignaled)) {
            throw new PerftestException("the send queue is full at message " + receives);
        }
        if (signals) {
            sinceSignal = 0;
            awaitSent();
        }
    }

    private void awaitSent() throws PerftestException {
        if (sendQueue.poll(sent) == 0 && waiter.await(sendQueue, sent, "the peer acknowledges nothing") == 0) {
            return; // the time is up
        }
        if (!sent.isSuccess(0)) {
            throw CompletionWaiter.failed("send", receives, sent, 0);
        }
    }

    private void postReceive() throws PerftestException {
        if (!(shared == null ? qp.tryPost(receive) : shared.tryPost(receive))) {
            throw new PerftestException("the receive queue is full at message " + receives);
        }
    }
}
