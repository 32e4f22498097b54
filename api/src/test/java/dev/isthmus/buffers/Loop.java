// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.buffers;

import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.GidEntry;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.QueuePairType;
import dev.isthmus.verbs.WorkCompletions;

/** Two queue pairs of one device that are connected to each other. Owned by the test's thread. */
final class Loop implements AutoCloseable {

    private static final int REQUESTS = 64;

    /** How long a completion may take. Generous, because the emulated machine is slow and shared. */
    private static final long DEADLINE_NANOS = TestDeadlines.ofSeconds(60).toNanos();

    final DeviceContext device = Device.first().open();
    final ProtectionDomain pd = device.allocateProtectionDomain();
    final CompletionQueue cq = device.createCompletionQueue(4 * REQUESTS);
    final QueuePair a = queuePair();
    final QueuePair b = queuePair();
    final WorkCompletions done = WorkCompletions.allocate(16);

    Loop() {
        GidEntry gid = device.defaultGid(1);
        a.connect(gid, b.address(gid));
        b.connect(gid, a.address(gid));
    }

    private QueuePair queuePair() {
        return pd.createQueuePair(
                QueuePairType.RC,
                cq,
                cq,
                config -> config.maxSendWr(REQUESTS).maxRecvWr(REQUESTS).maxSendSge(2));
    }

    /** Polls until there is a completion; all must be successes. */
    int await() {
        long deadline = System.nanoTime() + DEADLINE_NANOS;
        int n = cq.poll(done);
        while (n == 0) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("no completion within the deadline");
            }
            Thread.onSpinWait();
            n = cq.poll(done);
        }
        for (int i = 0; i < n; i++) {
            if (!done.isSuccess(i)) {
                throw new AssertionError(done.toString());
            }
        }
        return n;
    }

    @Override
    public void close() {
        b.close();
        a.close();
        cq.close();
        pd.close();
        device.close();
    }
}
