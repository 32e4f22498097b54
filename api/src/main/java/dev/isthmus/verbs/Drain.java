// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.internal.Deadline;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntConsumer;

/**
 * Waits until everything that was posted to a queue pair has completed. A queue completes its requests in order, so a
 * marker that is posted in ERR comes after all others, as in the kernel's ib_drain_qp.
 */
final class Drain {

    /** The first number of markers. Other requests can have such numbers only by chance. */
    private static final long MARKERS = ThreadLocalRandom.current().nextLong(Long.MAX_VALUE / 2);

    private final QueuePair qp;
    private final CompletionQueue sends; // null for a queue that the queue pair does not have
    private final CompletionQueue receives;
    private long marker = MARKERS; // of sends; receives have the next number
    private SendRequest send; // null if there is none to post, or it is posted
    private ReceiveRequest receive;
    private int left; // markers that have not completed

    Drain(QueuePair qp, CompletionQueue sends, CompletionQueue receives) {
        this.qp = qp;
        this.sends = sends;
        this.receives = receives;
    }

    /**
     * Returns false if the time is up.
     *
     * @param sendMarker null for a queue pair that sends nothing
     * @param receiveMarker null for one without receives of its own
     */
    boolean run(
            SendRequest sendMarker,
            ReceiveRequest receiveMarker,
            WorkCompletions into,
            IntConsumer each,
            Deadline deadline) {
        marker += 2; // those of an earlier run that ran out of time may still come
        send = sendMarker == null ? null : sendMarker.wrId(marker);
        receive = receiveMarker == null ? null : receiveMarker.wrId(marker + 1);
        left = (send == null ? 0 : 1) + (receive == null ? 0 : 1);
        qp.flush();
        while (left > 0) {
            mark();
            int seen = sends == null ? 0 : take(sends, into, each);
            if (receives != null && receives != sends) {
                seen += take(receives, into, each);
            }
            if (left > 0 && seen == 0) {
                if (deadline.hasPassed()) {
                    return false;
                }
                Thread.onSpinWait();
            }
        }
        return true;
    }

    /** Posts the markers, if the queues have room by now. */
    private void mark() {
        if (send != null && qp.tryPost(send)) {
            send = null;
        }
        if (receive != null && qp.tryPost(receive)) {
            receive = null;
            qp.flush(); // only this makes Soft-RoCE look at receives that are posted in ERR
        }
    }

    private int take(CompletionQueue queue, WorkCompletions into, IntConsumer each) {
        int n = queue.poll(into);
        for (int i = 0; i < n; i++) {
            long id = into.wrId(i);
            if (id <= MARKERS || id > marker + 1 || into.qpNum(i) != qp.qpNum()) {
                each.accept(i);
            } else if (id >= marker) {
                left--;
            }
        }
        return n;
    }
}
