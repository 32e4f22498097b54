// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import dev.isthmus.verbs.CompletionChannel;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.BooleanSupplier;

/**
 * The exchange of messages itself. Each queue pair sends whenever both its last send and its last receive are done, those
 * of the client first; all complete in one queue, and receives are posted anew when few are left.
 */
final class PingPongLoop {

    /** What the completions of receives and sends carry: bits, as a queue pair may wait for both. */
    static final int RECEIVE_ID = 1;

    static final int SEND_ID = 2;

    private final PingPongOptions.InTurn options;
    private final CompletionQueue cq;
    private final CompletionChannel channel;
    private final BooleanSupplier postReceive;

    private List<QueuePair> qps = List.of();
    private SendRequest send;

    /** What each queue pair waits for, before it sends again. */
    private int[] pending = {};

    /** How many receives are posted. */
    private int posted;

    private int received;
    private int sent;

    /**
     * Prepares for it, and posts the receives.
     *
     * @param cq where all completes
     * @param channel sends the events of the queue; null to poll all the time
     * @param postReceive posts one receive, with {@link #RECEIVE_ID}; false when the queue is full
     */
    PingPongLoop(
            PingPongOptions.InTurn options,
            CompletionQueue cq,
            CompletionChannel channel,
            BooleanSupplier postReceive) {
        this.options = options;
        this.cq = cq;
        this.channel = channel;
        this.postReceive = postReceive;
        postReceives();
    }

    private void postReceives() {
        while (posted < options.receiveDepth && postReceive.getAsBoolean()) {
            posted++;
        }
    }

    /**
     * Exchanges messages, and prints how long it took.
     *
     * @param connected the queue pairs
     * @param request a signaled send with {@link #SEND_ID}
     * @param message where messages lie, which are marked and validated when the options say so
     * @return the program's exit status
     */
    int run(List<QueuePair> connected, SendRequest request, MemorySegment message, PrintWriter out)
            throws IOException, InterruptedException {
        qps = connected;
        send = request;
        pending = new int[qps.size()];
        Arrays.fill(pending, RECEIVE_ID);
        if (options.isClient() && options.check) {
            PingPongOptions.mark(message);
        }
        long start = System.nanoTime();
        exchange();
        options.report(out, System.nanoTime() - start);
        return options.isClient() || !options.check || PingPongOptions.isMarked(message, out) ? 0 : 1;
    }

    private void exchange() throws IOException, InterruptedException {
        var done = WorkCompletions.allocate(options.receiveDepth + qps.size());
        if (options.isClient()) {
            for (int q = 0; q < qps.size(); q++) {
                postSend(q);
            }
        }
        while (received < options.iterations || sent < options.iterations) {
            PingPongOptions.await(channel, cq);
            for (int n = cq.poll(done); n > 0; n = cq.poll(done)) {
                for (int i = 0; i < n; i++) {
                    completed(done, i);
                }
            }
        }
    }

    private void completed(WorkCompletions done, int i) throws IOException {
        if (!done.isSuccess(i)) {
            throw new IOException("Failed status " + done.status(i) + " for wr_id " + done.wrId(i));
        }
        if (done.wrId(i) == SEND_ID) {
            sent++;
        } else {
            received++;
            if (--posted <= qps.size()) {
                postReceives();
            }
        }
        int q = indexOf(done.qpNum(i));
        pending[q] &= ~(int) done.wrId(i);
        if (pending[q] == 0 && sent < options.iterations) {
            postSend(q);
        }
    }

    private void postSend(int q) {
        qps.get(q).post(send);
        pending[q] = RECEIVE_ID | SEND_ID;
    }

    private int indexOf(int qpNum) throws IOException {
        for (int q = 0; q < qps.size(); q++) {
            if (qps.get(q).qpNum() == qpNum) {
                return q;
            }
        }
        throw new IOException(String.format(Locale.ROOT, "Couldn't find QPN %06x", qpNum));
    }
}
