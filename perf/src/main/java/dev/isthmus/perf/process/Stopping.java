// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.process;

import dev.isthmus.perf.Shutdown;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Notices Ctrl-C and SIGTERM, and gives a comparison the time to write its report: the processes that it waits for end at
 * once, and so it comes to see that it is to stop.
 */
public final class Stopping implements AutoCloseable {

    /** Plots take half a minute where processors are emulated and the machine has a lot else to do. */
    private static final long PATIENCE_SECONDS = 120;

    /** From when a child ends by Ctrl-C until this JVM has noticed that, too. */
    private static final long SIGNAL_MILLIS = 500;

    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch written = new CountDownLatch(1);
    private final Thread hook = new Thread(this::await, "stop-comparing");

    /** From now on this JVM ends when this is closed. */
    public Stopping() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    private void await() {
        begun.countDown();
        try {
            var _ = written.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether this JVM is ending. */
    public boolean isWanted() {
        return Shutdown.hasBegun();
    }

    /** Whether this JVM is ending, or will be in a moment: asked of a child that has failed, as Ctrl-C ends it, too. */
    public boolean isWantedSoon() throws InterruptedException {
        return begun.await(SIGNAL_MILLIS, TimeUnit.MILLISECONDS) || isWanted();
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
