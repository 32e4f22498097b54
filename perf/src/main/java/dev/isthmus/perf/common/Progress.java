// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.common;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Shows what is going on, and since when: on a terminal, one line that is rewritten every second; elsewhere, a line now
 * and then. Thread-safe.
 */
public final class Progress implements AutoCloseable {

    private static final long PLAIN_SECONDS = 10;

    /** Set by programs that pass our standard error on to a terminal, such as the testbed. */
    private static final String TERMINAL = "ISTHMUS_TERMINAL";

    private static final String CLEAR_LINE = "\r\u001b[K";

    private final PrintStream out;
    private final boolean terminal;
    private final long begin = System.nanoTime();
    private final ScheduledExecutorService ticker;
    private String what = "";
    private long lastPlain = -PLAIN_SECONDS;

    Progress(PrintStream out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
        this.ticker = Executors.newSingleThreadScheduledExecutor(
                task -> Thread.ofPlatform().daemon().name("progress").unstarted(task));
        if (terminal) {
            var _ = ticker.scheduleAtFixedRate(this::redraw, 1, 1, TimeUnit.SECONDS);
        }
    }

    /** Progress on a stream, which may be standard error on a terminal. */
    public static Progress on(PrintStream out) {
        return new Progress(out, isShownOnTerminal(out));
    }

    /** The variables that let a program whose standard error goes to this stream know whether there is a terminal. */
    public static Map<String, String> passedOn(PrintStream out) {
        return Map.of(TERMINAL, isShownOnTerminal(out) ? "yes" : "");
    }

    private static boolean isShownOnTerminal(PrintStream out) {
        boolean passedOn = !System.getenv().getOrDefault(TERMINAL, "").isEmpty();
        return out.equals(System.err) && (passedOn || isTerminal("/proc/self/fd/2"));
    }

    private static boolean isTerminal(String descriptor) {
        try {
            Path target = Files.readSymbolicLink(Path.of(descriptor));
            return target.startsWith("/dev/pts") || target.toString().startsWith("/dev/tty");
        } catch (IOException e) {
            return false;
        }
    }

    /** Shows what is going on. */
    public synchronized void update(String now) {
        what = now;
        if (terminal) {
            redraw();
        } else if (seconds() - lastPlain >= PLAIN_SECONDS) {
            lastPlain = seconds();
            out.println(line());
        }
    }

    /** Prints a line that stays. */
    public synchronized void say(String line) {
        out.println(terminal ? CLEAR_LINE + line : line);
        if (terminal) {
            redraw();
        }
    }

    private synchronized void redraw() {
        out.print(CLEAR_LINE + line());
        out.flush();
    }

    private String line() {
        return String.format(Locale.ROOT, "[%d:%02d] %s", seconds() / 60, seconds() % 60, what);
    }

    private long seconds() {
        return Duration.ofNanos(System.nanoTime() - begin).toSeconds();
    }

    /** Removes the line from a terminal, so that another stream can print there. */
    public synchronized void clear() {
        if (terminal) {
            out.print(CLEAR_LINE);
            out.flush();
        }
    }

    /** Removes the line from a terminal. */
    @Override
    public void close() {
        ticker.shutdownNow();
        clear();
    }
}
