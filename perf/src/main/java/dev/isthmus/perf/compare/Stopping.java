// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import dev.isthmus.perf.Shutdown;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Notices Ctrl-C and SIGTERM, and gives the comparison the time to write its report: the processes that it waits for end
 * at once, and so it comes to see that it is to stop.
 */
final class Stopping implements AutoCloseable {

    /** Plots take half a minute where processors are emulated and the machine has a lot else to do. */
    private static final long PATIENCE_SECONDS = 120;

    private final CountDownLatch written = new CountDownLatch(1);
    private final Thread hook = new Thread(this::await, "stop-comparing");

    Stopping() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    private void await() {
        try {
            var _ = written.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether this JVM is ending. */
    boolean isWanted() {
        return Shutdown.hasBegun();
    }

    /** All is written: the JVM may end. */
    @Override
    public void close() {
        written.countDown();
        if (!isWanted()) {
            Runtime.getRuntime().removeShutdownHook(hook);
        }
    }
}
