package dev.isthmus.perf.perftest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Waits until a server listens, by looking at the kernel's table: to connect and see would be taken for the client by
 * a server that serves one.
 */
public final class Listening {

    private static final List<Path> TABLES = List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));

    /** {@code TCP_LISTEN}. */
    private static final String LISTEN = "0A";

    private static final long LOOK_MILLIS = 2;

    private Listening() {}

    /**
     * Returns when somebody listens.
     *
     * @param port the TCP port
     * @param server the process that is to listen
     * @param limit how long it may take
     * @throws IOException if the process ends before, or the time is over
     * @throws InterruptedException if the caller is to stop
     */
    public static void await(int port, Process server, Duration limit) throws IOException, InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (!isListening(port)) {
            if (server.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                throw new IOException("the server ended with status " + server.exitValue() + " before it listened");
            }
            if (System.nanoTime() - end > 0) {
                throw new IOException(
                        "the server does not listen on port " + port + " after " + limit.toSeconds() + " s");
            }
        }
    }

    /**
     * Looks whether somebody listens.
     *
     * @param port the TCP port
     * @return true if so
     * @throws IOException if the kernel does not tell
     */
    public static boolean isListening(int port) throws IOException {
        String address = String.format(Locale.ROOT, ":%04X", port);
        for (Path table : TABLES) {
            if (Files.exists(table)) {
                for (String line : Files.readAllLines(table)) {
                    String[] fields = line.strip().split("\\s+", 5);
                    if (fields.length > 3 && fields[1].endsWith(address) && fields[3].equals(LISTEN)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }
}
