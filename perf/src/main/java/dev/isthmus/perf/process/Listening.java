// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Waits until a server listens, by looking at the kernel's table. A trial connection would not do: a server that serves
 * one client would take it for that.
 */
public final class Listening {

    private static final List<Path> TABLES = List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));

    /** {@code TCP_LISTEN}. */
    private static final String LISTEN = "0A";

    /** {@code TCP_ESTABLISHED}. */
    private static final String ESTABLISHED = "01";

    private static final int LOCAL = 1;
    private static final int REMOTE = 2;
    private static final long POLL_MILLIS = 2;

    private Listening() {}

    /** Looks whether something has happened that nothing announces. */
    @FunctionalInterface
    interface Probe {
        boolean hasHappened() throws IOException;
    }

    /** Returns when a process listens at a TCP port. Throws if it ends before, or the time is over. */
    public static void await(int port, Process server, Duration limit) throws IOException, InterruptedException {
        await(() -> isListening(port), server, limit, "listen on port " + port);
    }

    /** Returns when a process has done something. Throws if it ends before, or the time is over. */
    static void await(Probe probe, Process process, Duration limit, String what)
            throws IOException, InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (!probe.hasHappened()) {
            if (process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
                throw new IOException("it ended with status " + process.exitValue() + " before it could " + what);
            }
            if (System.nanoTime() - end > 0) {
                throw new IOException("it did not " + what + " within " + limit.toSeconds() + " s");
            }
        }
    }

    /** Whether a process listens at a TCP port. */
    public static boolean isListening(int port) throws IOException {
        return isThere(LOCAL, port, LISTEN);
    }

    /** Whether a client is connected to a server's port; the server need not have accepted it yet. */
    static boolean isConnected(int port) throws IOException {
        return isThere(REMOTE, port, ESTABLISHED);
    }

    private static boolean isThere(int column, int port, String state) throws IOException {
        String address = String.format(Locale.ROOT, ":%04X", port);
        for (Path table : TABLES) {
            if (Files.exists(table)) {
                for (String line : Files.readAllLines(table)) {
                    String[] fields = line.strip().split("\\s+", 5);
                    if (fields.length > 3 && fields[column].endsWith(address) && fields[3].equals(state)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }
}
