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

    /** Looks for a socket. */
    @FunctionalInterface
    private interface SocketProbe {
        boolean isThere(int port) throws IOException;
    }

    /**
     * Returns when a process listens.
     *
     * @throws IOException if the process ends before, or the time is over
     */
    public static void await(int port, Process server, Duration limit) throws IOException, InterruptedException {
        await(Listening::isListening, port, server, limit, "the server", "listen on");
    }

    /**
     * Returns when a client is connected to a server, which need not have accepted the connection yet.
     *
     * @throws IOException if the process ends before, without saying why, or the time is over
     */
    public static void awaitConnected(int port, Process client, Duration limit)
            throws IOException, InterruptedException {
        await(Listening::isConnected, port, client, limit, "the client", "connect to");
    }

    private static void await(SocketProbe look, int port, Process process, Duration limit, String who, String what)
            throws IOException, InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (!look.isThere(port)) {
            if (process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
                throw new IOException(
                        who + " ended with status " + process.exitValue() + " before it could " + what + " the port");
            }
            if (System.nanoTime() - end > 0) {
                throw new IOException(
                        who + " did not " + what + " port " + port + " after " + limit.toSeconds() + " s");
            }
        }
    }

    /** Whether a process listens. */
    public static boolean isListening(int port) throws IOException {
        return isThere(LOCAL, port, LISTEN);
    }

    private static boolean isConnected(int port) throws IOException {
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
