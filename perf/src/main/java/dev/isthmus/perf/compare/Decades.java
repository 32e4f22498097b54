// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import java.util.Collection;

/** The powers of ten that a log axis begins and ends with. */
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

    /** With more of them below, so that another axis beside it has its lines at the same places. */
    Decades widened(int count) {
        return new Decades(high - Math.max(count, count()), high);
    }
}
