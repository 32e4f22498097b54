// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.common;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A folder that exists as long as a command runs. When a signal ends the JVM, it waits until the command has removed
 * the folder.
 */
public final class Scratch implements AutoCloseable {

    private static final long GRACE_SECONDS = 30;

    private final TemporaryFolder folder;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread hook = new Thread(this::await, "scratch");
    private boolean kept;

    /** Creates a folder whose name begins with a prefix. */
    public Scratch(String prefix) throws IOException {
        folder = new TemporaryFolder(prefix);
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** The folder. */
    public Path folder() {
        return folder.path();
    }

    /** Keeps the folder for the user to read, unless a signal ends the command. */
    public void keep() {
        kept = true;
    }

    private void await() {
        try {
            if (!closed.await(GRACE_SECONDS, TimeUnit.SECONDS)) {
                System.err.println("isthmus: " + folder.path() + " was not removed");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() throws IOException {
        boolean ending = Shutdown.hasBegun();
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
