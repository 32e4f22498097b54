// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** How many times something was done, and how long it took: in total, and at most. */
final class Times {

    private record Sum(int count, long total, long longest) {
        Sum plus(Sum other) {
            return new Sum(count + other.count, total + other.total, Math.max(longest, other.longest));
        }
    }

    private final Map<String, Sum> sums = new TreeMap<>();

    void took(String what, long nanos) {
        sums.merge(what, new Sum(1, nanos, nanos), Sum::plus);
    }

    void timed(String what, Runnable action) {
        long start = System.nanoTime();
        try {
            action.run();
        } finally {
            took(what, System.nanoTime() - start);
        }
    }

    long longestMillis(String what) {
        return sums.get(what).longest() / 1_000_000;
    }

    @Override
    public String toString() {
        var text = new StringBuilder();
        sums.forEach((what, sum) -> text.append(String.format(
                Locale.ROOT,
                "%n  %-24s %5d times, %8.1f ms together, %7.1f ms at the most",
                what,
                sum.count(),
                sum.total() / 1e6,
                sum.longest() / 1e6)));
        return text.toString();
    }
}
