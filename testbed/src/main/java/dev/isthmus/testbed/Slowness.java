// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.testbed;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * How long two pieces of work take here that most tests consist of: processes that wait for each other, and a JVM that
 * starts.
 *
 * @param roundTrips how long a byte takes to another process and back, {@value #ROUND_TRIPS} times, in seconds
 * @param jvmStart how long a JVM takes from its start to its end, in seconds; 0 if that was not measured
 */
record Slowness(double roundTrips, double jvmStart) {

    /**
     * What a quiet machine takes. Medians of 30 measurements, by the code below, on two processors of a virtual x86-64
     * machine with Debian 12 and JDK 25, on 2026-11-27: 0.006 s and 0.05 s. The first is rounded up, because idle
     * processors of other machines take longer to wake.
     */
    static final Slowness QUIET = new Slowness(0.01, 0.05);

    private static final int ROUND_TRIPS = 1_000;

    /** A quiet machine makes all round trips in this time; of a slow one the mean of fewer counts. */
    private static final long ROUND_TRIPS_NANOS = 300_000_000;

    /** A quiet machine starts several JVMs in this time, whose mean counts; a slow one starts one. */
    private static final long JVM_STARTS_NANOS = 200_000_000;

    /** More than a start takes where the factor is the highest. */
    private static final long MAX_SECONDS = 60;

    /** How many times slower than a quiet machine; less than 1 for a faster one. */
    double comparedWithQuiet() {
        return Math.max(roundTrips / QUIET.roundTrips, jvmStart / QUIET.jvmStart);
    }

    /** How many times longer tests wait: 1 to {@link TestDeadlines#HIGHEST_FACTOR}. */
    double factor() {
        return Math.clamp(comparedWithQuiet(), 1, TestDeadlines.HIGHEST_FACTOR);
    }

    /**
     * Measures it, which takes half a second on a quiet machine. JVMs start for seconds on emulated processors: none does
     * when the round trips alone give the highest factor.
     */
    static Slowness measure() {
        try {
            var roundTrips = new Slowness(measureRoundTrips(), 0);
            return roundTrips.factor() == TestDeadlines.HIGHEST_FACTOR
                    ? roundTrips
                    : new Slowness(roundTrips.roundTrips, measureJvmStart());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot measure how slow this place is", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while measuring how slow this place is", e);
        }
    }

    private static double measureRoundTrips() throws IOException {
        Process echo = start("cat");
        try (OutputStream to = echo.getOutputStream();
                InputStream from = echo.getInputStream()) {
            exchange(to, from); // until it has started, and the code here is compiled
            return exchange(to, from);
        } finally {
            echo.destroyForcibly();
        }
    }

    /** Returns the time of all round trips, in seconds, even if only some were made. */
    private static double exchange(OutputStream to, InputStream from) throws IOException {
        long begin = System.nanoTime();
        int made = 0;
        while (made < ROUND_TRIPS && System.nanoTime() - begin < ROUND_TRIPS_NANOS) {
            to.write(1);
            to.flush();
            if (from.read() != 1) {
                throw new IOException("cat does not answer");
            }
            made++;
        }
        return secondsSince(begin) * ROUND_TRIPS / made;
    }

    private static double measureJvmStart() throws IOException, InterruptedException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        long begin = System.nanoTime();
        int starts = 0;
        do {
            Process jvm = start(java, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-version");
            try {
                if (!jvm.waitFor(MAX_SECONDS, TimeUnit.SECONDS)) {
                    return MAX_SECONDS;
                }
            } finally {
                jvm.destroyForcibly();
            }
            starts++;
        } while (System.nanoTime() - begin < JVM_STARTS_NANOS);
        return secondsSince(begin) / starts;
    }

    private static Process start(String... command) throws IOException {
        return new ProcessBuilder(OtherProcessor.of(List.of(command)))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private static double secondsSince(long begin) {
        return (System.nanoTime() - begin) / 1e9;
    }

    /** What was measured, how that compares, and what tests do about it. */
    @Override
    public String toString() {
        double slower = comparedWithQuiet();
        String place;
        String waits;
        if (slower <= 1) {
            place = "as fast as a quiet machine";
            waits = "";
        } else if (slower <= TestDeadlines.HIGHEST_FACTOR) {
            place = String.format(Locale.ROOT, "%.1f times slower than a quiet machine", slower);
            waits = ": tests wait that much longer";
        } else { // how much more depends on which of the two one looks at
            place = String.format(Locale.ROOT, "more than %.0f times slower than a quiet machine", factor());
            waits = String.format(Locale.ROOT, ": tests wait %.0f times longer", factor());
        }
        String start = jvmStart == 0 ? "" : String.format(Locale.ROOT, "a JVM starts in %.2f s, ", jvmStart);
        String trips =
                String.format(Locale.ROOT, "%,d round trips between processes take %.3f s", ROUND_TRIPS, roundTrips);
        return "this place is " + place + " (" + start + trips + ")" + waits;
    }
}
