// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import java.lang.System.Logger.Level;

/**
 * Compares a completion queue's room with the sizes that programs have asked for of the queues that complete in it.
 * Thread-safe.
 */
final class CapacityCheck {

    private static final System.Logger LOG = System.getLogger("dev.isthmus");

    private final CompletionQueue queue;
    private final boolean isChecked;
    private long requests; // that may be outstanding
    private boolean warned;

    CapacityCheck(CompletionQueue queue, boolean isChecked) {
        this.queue = queue;
        this.isChecked = isChecked;
    }

    /** So many more requests may be outstanding, or fewer if it is negative. */
    synchronized void add(int more) {
        requests += more;
        if (isChecked && !warned && requests > queue.entries()) {
            warned = true;
            LOG.log(
                    Level.WARNING,
                    "{0} has room for {1} completions, and its queue pairs for {2} requests. Completions beyond its room are"
                            + " lost, at the latest when a queue pair fails and all its requests complete. Create it with"
                            + " more entries, lower maxSendWr or maxRecvWr, or call CompletionQueueConfig.sizeUnchecked()",
                    queue,
                    Integer.toString(queue.entries()),
                    Long.toString(requests));
        }
    }
}
