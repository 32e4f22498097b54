// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.spark;

import dev.isthmus.perf.TemporaryFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A folder that exists as long as a command runs. When a signal ends the JVM, it waits until the command has removed
 * the folder.
 */
final class Scratch implements AutoCloseable {

    private static final long GRACE_SECONDS = 30;

    private final TemporaryFolder folder = new TemporaryFolder("isthmus-spark-");
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread hook = new Thread(this::await, "scratch");
    private volatile boolean ending;
    private boolean kept;

    Scratch() throws IOException {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    Path folder() {
        return folder.path();
    }

    /** Whether a signal is ending the program. */
    boolean isEnding() {
        return ending;
    }

    /** Keeps the folder for the user to read. */
    void keep() {
        kept = true;
    }

    private void await() {
        ending = true;
        try {
            if (!closed.await(GRACE_SECONDS, TimeUnit.SECONDS)) {
                System.err.println("isthmus spark: " + folder.path() + " was not removed");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() throws IOException {
        try {
            if (!kept || ending) {
                folder.close();
            }
        } finally {
            closed.countDown();
            if (!ending) {
                try {
                    Runtime.getRuntime().removeShutdownHook(hook);
                } catch (IllegalStateException e) {
                    // A signal has just arrived; the hook has nothing to wait for.
                }
            }
        }
    }
}
