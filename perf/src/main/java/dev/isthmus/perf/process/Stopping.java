// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.process;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Notices Ctrl-C and SIGTERM, and gives a command the time to write its results. The processes for which it waits end
 * at once, and so it notices that it must stop.
 */
public final class Stopping implements AutoCloseable {

    /** Writing takes a while on emulated processors of a busy machine. */
    private static final long PATIENCE_SECONDS = 120;

    /** The time between a child's end by Ctrl-C and the moment in which this JVM has noticed Ctrl-C, too. */
    private static final long SIGNAL_MILLIS = 500;

    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch written = new CountDownLatch(1);
    private final Thread hook = new Thread(this::await, "stopping");

    /** From now on the end of this JVM waits until this is closed. */
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

    /** Whether this JVM is ending, usually by a signal. */
    public static boolean hasBegun() {
        // A hook that set a flag would set it too late for code that has seen the effect of another hook.
        Thread probe = new Thread(() -> {});
        try {
            Runtime.getRuntime().addShutdownHook(probe);
            Runtime.getRuntime().removeShutdownHook(probe);
            return false;
        } catch (IllegalStateException e) {
            return true;
        }
    }

    /** Whether this JVM is ending. */
    public boolean isWanted() {
        return hasBegun();
    }

    /**
     * Whether this JVM is ending, or will be in a moment. Ask it when a child has failed, because Ctrl-C ends
     * that, too.
     */
    public boolean isWantedSoon() throws InterruptedException {
        return begun.await(SIGNAL_MILLIS, TimeUnit.MILLISECONDS) || isWanted();
    }

    /** Everything is written, so the JVM may end. */
    @Override
    public void close() {
        written.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The JVM is ending, and the hook has nothing left to wait for.
        }
    }
}
