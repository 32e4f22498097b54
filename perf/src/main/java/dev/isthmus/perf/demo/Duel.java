// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.demo;

import dev.isthmus.perf.Side;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * A comparison on one path. Java is warmed up; then the sides take turns, size by size and round by round. In each
 * round, the other side begins.
 *
 * @param path what the messages take, for the report
 * @param sizes the sizes of messages, bytes
 * @param iterations how many messages each end sends in a round
 * @param rounds how many rounds count
 * @param warmUp when Java counts as warm
 */
public record Duel(String path, List<Integer> sizes, int iterations, int rounds, WarmUp warmUp) {

    /**
     * When warming up ends.
     *
     * @param atLeast the fewest iterations
     * @param atMost the most iterations
     * @param limit the longest time
     * @param tolerance how close together the last three rounds must be, as a fraction
     */
    public record WarmUp(int atLeast, int atMost, Duration limit, double tolerance) {}

    /** Hears of events as they happen. */
    public interface Listener {

        /**
         * A step begins.
         *
         * @param what one short line
         */
        void progress(String what);

        /**
         * A round that counts has ended.
         *
         * @param sample what it measured
         */
        void sample(Sample sample);
    }

    /**
     * Runs it.
     *
     * @param c the C tool
     * @param java ours
     * @param listener hears of each round
     * @throws IOException if a side fails
     * @throws InterruptedException if the demo is to stop
     */
    public void run(Contestant c, Contestant java, Listener listener) throws IOException, InterruptedException {
        warmUp(java, listener);
        for (int round = 1; round <= rounds; round++) {
            for (int bytes : sizes) {
                boolean cFirst = round % 2 == 1;
                turn(cFirst ? Side.C : Side.JAVA, cFirst ? c : java, bytes, round, listener);
                turn(cFirst ? Side.JAVA : Side.C, cFirst ? java : c, bytes, round, listener);
            }
        }
    }

    private void turn(Side side, Contestant contestant, int bytes, int round, Listener listener)
            throws IOException, InterruptedException {
        listener.progress(
                String.format(Locale.ROOT, "%s %d B, round %d of %d: %s", path, bytes, round, rounds, side.title()));
        Latency latency = contestant.round(bytes, iterations);
        listener.sample(new Sample(path, bytes, side, round, latency.medianMicros(), latency.averageMicros()));
    }

    /** Runs the sizes in turn, so that the JIT sees all of them, until the figures are steady. */
    private void warmUp(Contestant java, Listener listener) throws IOException, InterruptedException {
        double[] last = new double[3 * sizes.size()];
        Arrays.fill(last, Double.NaN);
        long end = System.nanoTime() + warmUp.limit().toNanos();
        int turn = 0;
        for (int done = 0; done < warmUp.atMost() && System.nanoTime() - end < 0; done += iterations) {
            int bytes = sizes.get(turn % sizes.size());
            listener.progress(String.format(Locale.ROOT, "%s: warming Java up, %,d iterations so far", path, done));
            last[turn++ % last.length] = java.round(bytes, iterations).medianMicros();
            if (done + iterations >= warmUp.atLeast() && steady(last)) {
                return;
            }
        }
    }

    /** Whether the last three rounds of every size are close together. */
    private boolean steady(double[] last) {
        for (int size = 0; size < sizes.size(); size++) {
            double min = Double.POSITIVE_INFINITY;
            double max = Double.NEGATIVE_INFINITY;
            for (int i = size; i < last.length; i += sizes.size()) {
                min = Math.min(min, last[i]);
                max = Math.max(max, last[i]);
            }
            // NaN while there are fewer than three rounds: not steady.
            if (!(max - min <= warmUp.tolerance() * min)) {
                return false;
            }
        }
        return true;
    }
}
