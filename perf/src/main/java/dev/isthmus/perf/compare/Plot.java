// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A plot before it is drawn. Both of its axes are logarithmic.
 *
 * @param left what the left axis counts
 * @param right what the right axis counts, if there is one
 */
record Plot(String title, Across across, Side left, Optional<Side> right, List<Curve> curves) {

    /** What the horizontal axis shows. */
    enum Across {
        PAYLOAD("payload", 2),
        CONNECTIONS("connections", 2),
        /** One of this many operations takes as long or longer: 10 stands for 90 %, 1000 for 99.9 %. */
        PERCENTILE("percentile", 10),
        RATE("round trips per second", 10);

        private final String title;
        private final int base;

        Across(String title, int base) {
            this.title = title;
            this.base = base;
        }

        /** The ratio of two neighbouring lines of the axis. */
        int base() {
            return base;
        }

        /** The logarithm; exact for powers of the base, which are the lines. */
        double position(long value) {
            if (base == 10) {
                return Math.log10((double) value);
            }
            return Long.bitCount(value) == 1
                    ? Long.numberOfTrailingZeros(value)
                    : Math.log((double) value) / Math.log(2);
        }

        String title() {
            return title;
        }

        String label(double value) {
            return switch (this) {
                case PAYLOAD -> Numbers.bytes(value);
                case PERCENTILE -> Numbers.percentile(value) + " %";
                case CONNECTIONS, RATE -> Numbers.figure(value).replaceFirst("\\.0+$", "");
            };
        }

        String label(long value) {
            return label((double) value);
        }

        long of(Point point) {
            return switch (this) {
                case PAYLOAD -> point.bytes();
                case CONNECTIONS -> point.connections();
                case RATE -> point.rate();
                case PERCENTILE -> throw new IllegalArgumentException("a point has all percentiles");
            };
        }
    }

    /** A vertical axis. */
    record Side(Quantity quantity, Decades decades) {}

    /** What the plot shows, for readers who do not see it. */
    String description() {
        String axes = "Log-log plot over " + across.title() + " of "
                + left.quantity().unit()
                + right.map(side -> " on the left and " + side.quantity().unit() + " on the right")
                        .orElse("")
                + ". ";
        return axes + curves.stream().map(this::describe).collect(Collectors.joining("; ")) + ".";
    }

    private String describe(Curve curve) {
        String unit = " " + curve.quantity().unit() + " at ";
        long first = curve.marks().firstKey();
        long last = curve.marks().lastKey();
        String text = curve.way().title() + ": "
                + Numbers.figure(curve.marks().get(first).median()) + unit + across.label(first);
        return first == last
                ? text
                : text + ", " + Numbers.figure(curve.marks().get(last).median()) + unit + across.label(last);
    }
}
