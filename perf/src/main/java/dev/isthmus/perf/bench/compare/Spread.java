// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.common.Median;
import java.util.Arrays;
import java.util.Optional;

/**
 * The median and the extremes of what several runs measured.
 *
 * @param interval the interval that contains the median of endlessly many runs, with 95 % confidence; empty for
 *     fewer than six runs
 */
record Spread(double median, double minimum, double maximum, Optional<Range> interval) {

    /** From one value to another. */
    record Range(double low, double high) {}

    private static final double SIGNIFICANCE = 0.05;

    /** The spread of few runs. */
    Spread(double median, double minimum, double maximum) {
        this(median, minimum, maximum, Optional.empty());
    }

    /** Empty for no runs. */
    static Optional<Spread> of(double... values) {
        if (values.length == 0) {
            return Optional.empty();
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        double median = Median.of(Arrays.stream(sorted)).orElseThrow();
        return Optional.of(new Spread(median, sorted[0], sorted[sorted.length - 1], interval(sorted)));
    }

    /**
     * Whether a run is below the true median is a toss of a coin, whatever the distribution. The interval leaves out as
     * many runs at each end as it can with that confidence.
     */
    private static Optional<Range> interval(double[] sorted) {
        int outside = 0;
        double chance = (1 - sorted.length) * Math.log(2); // that all are on one side, either one
        for (double sum = Math.exp(chance); sum <= SIGNIFICANCE; sum += Math.exp(chance)) {
            outside++;
            chance += Math.log((double) (sorted.length - outside + 1) / outside);
        }
        return outside == 0
                ? Optional.empty()
                : Optional.of(new Range(sorted[outside - 1], sorted[sorted.length - outside]));
    }
}
