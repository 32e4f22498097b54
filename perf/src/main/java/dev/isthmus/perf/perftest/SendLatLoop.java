package dev.isthmus.perf.perftest;

import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.util.concurrent.TimeUnit;

/**
 * The ping-pong: per iteration exactly what {@code ib_send_lat} does. With its send queue of one entry every send is
 * signaled and its completion awaited at once; a receive is posted again for each message while more than a queueful
 * are still to come. Allocates nothing.
 *
 * <p>One iteration is a method of its own rather than the body of a long loop: the JIT then has its final code after
 * some thousand calls, where a loop that is entered once needs more than a hundred thousand turns.
 */
final class SendLatLoop {

    /** After so many empty polls somebody looks at the clock. */
    private static final int POLLS_BETWEEN_LOOKS = 1 << 16;

    /** C would wait for ever. */
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final QueuePair qp;
    private final CompletionQueue sendQueue;
    private final CompletionQueue receiveQueue;
    private final WorkCompletions sent;
    private final WorkCompletions received;
    private final SendRequest send;
    private final ReceiveRequest receive;
    private final int receiveDepth;
    private final long[] posted;
    private int receives;

    SendLatLoop(
            QueuePair qp,
            CompletionQueue sendQueue,
            CompletionQueue receiveQueue,
            WorkCompletions sent,
            WorkCompletions received,
            SendRequest send,
            ReceiveRequest receive,
            int receiveDepth,
            long[] posted) {
        this.qp = qp;
        this.sendQueue = sendQueue;
        this.receiveQueue = receiveQueue;
        this.sent = sent;
        this.received = received;
        this.send = send;
        this.receive = receive;
        this.receiveDepth = receiveDepth;
        this.posted = posted;
    }

    /** Posts the receives for the first messages, before the peer may send. */
    void postReceives() throws PerftestException {
        for (int i = 0; i < receiveDepth; i++) {
            postReceive();
        }
    }

    /** The client's run: it sends first, and the last thing is an answer. */
    void runClient() throws PerftestException {
        send(0);
        for (int i = 1; i < posted.length; i++) {
            awaitMessage();
            send(i);
        }
        awaitMessage();
    }

    /** The server's run: it answers each message. */
    void runServer() throws PerftestException {
        for (int i = 0; i < posted.length; i++) {
            awaitMessage();
            send(i);
        }
    }

    private void awaitMessage() throws PerftestException {
        if (receiveQueue.poll(received) == 0) {
            await(receiveQueue, received, "no message from the peer");
        }
        if (!received.isSuccess(0)) {
            throw failed("receive", receives, received);
        }
        receives++;
        if (receives + receiveDepth <= posted.length) {
            postReceive();
        }
    }

    private void send(int index) throws PerftestException {
        posted[index] = System.nanoTime();
        if (!qp.tryPost(send)) {
            throw new PerftestException("the send queue is full at message " + index);
        }
        if (sendQueue.poll(sent) == 0) {
            await(sendQueue, sent, "the peer acknowledges nothing");
        }
        if (!sent.isSuccess(0)) {
            throw failed("send", index, sent);
        }
    }

    private void postReceive() throws PerftestException {
        if (!qp.tryPost(receive)) {
            throw new PerftestException("the receive queue is full at message " + receives);
        }
    }

    private static void await(CompletionQueue queue, WorkCompletions into, String silence) throws PerftestException {
        int polls = 0;
        long since = 0;
        while (queue.poll(into) == 0) {
            if (++polls == POLLS_BETWEEN_LOOKS) {
                polls = 0;
                since = checkSilence(since, silence);
            }
        }
    }

    /** Returns since when there has been silence, 0 for not known. */
    private static long checkSilence(long since, String silence) throws PerftestException {
        long now = System.nanoTime();
        if (since != 0 && now - since > SILENCE_NANOS) {
            throw new PerftestException(silence + " for " + TimeUnit.NANOSECONDS.toSeconds(SILENCE_NANOS)
                    + " s: are size (-s) and iterations (-n) the same on both ends?");
        }
        return since == 0 ? now : since;
    }

    private static PerftestException failed(String what, int index, WorkCompletions completions) {
        return new PerftestException(what + " " + index + " failed: " + completions.status(0) + " ("
                + completions.statusCode(0) + "), vendor error 0x" + Integer.toHexString(completions.vendorError(0))
                + "; are size (-s) and iterations (-n) the same on both ends?");
    }
}
