// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.internal.Deadline;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntConsumer;

/**
 * Waits until all has completed that was posted to a queue pair. A queue completes its requests in their order: a marker that
 * is posted in ERR comes behind all others, as the kernel's ib_drain_qp has it.
 */
final class Drain {

    /** From here on numbers are markers' that, as far as chance goes, no other request has. */
    private static final long MARKERS = ThreadLocalRandom.current().nextLong(Long.MAX_VALUE / 2);

    private final QueuePair qp;
    private final CompletionQueue sends; // null for queues that the queue pair does not have
    private final CompletionQueue receives;
    private long marker = MARKERS; // of sends; the next number is that of receives
    private SendRequest send; // null when there is none to post, or it is posted
    private ReceiveRequest receive;
    private int left; // markers that have not come

    Drain(QueuePair qp, CompletionQueue sends, CompletionQueue receives) {
        this.qp = qp;
        this.sends = sends;
        this.receives = receives;
    }

    /**
     * Returns false when the time is over.
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
        marker += 2; // those of a run whose time was over may still come
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

    /** Posts the markers, where the queues have room by now. */
    private void mark() {
        if (send != null && qp.tryPost(send)) {
            send = null;
        }
        if (receive != null && qp.tryPost(receive)) {
            receive = null;
            qp.flush(); // Soft-RoCE looks at receives that are posted in ERR only now
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
