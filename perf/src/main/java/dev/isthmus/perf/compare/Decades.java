// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import java.util.Collection;

/** The powers of ten at which a logarithmic axis begins and ends. */
record Decades(int low, int high) {

    /** At least one decade, with all figures inside. */
    static Decades around(Collection<Spread> spreads) {
        double least = spreads.stream().mapToDouble(Spread::minimum).min().orElse(1);
        double most = spreads.stream().mapToDouble(Spread::maximum).max().orElse(1);
        int low = (int) Math.floor(Math.log10(least));
        return new Decades(low, Math.max(low + 1, (int) Math.ceil(Math.log10(most))));
    }

    int count() {
        return high - low;
    }

    /** Adds decades at the bottom, so that the lines of another axis beside it are at the same heights. */
    Decades widened(int count) {
        return new Decades(high - Math.max(count, count()), high);
    }
}
