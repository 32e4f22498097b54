// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A plot before it is drawn. Both axes of it are logarithmic.
 *
 * @param left what the left axis counts
 * @param right what the right axis counts, if there is one
 */
record Plot(String title, Across across, Side left, Optional<Side> right, List<Curve> curves) {

    /** What stands along the bottom. */
    enum Across {
        PAYLOAD("payload"),
        CONNECTIONS("connections");

        private final String title;

        Across(String title) {
            this.title = title;
        }

        String title() {
            return title;
        }

        String label(double value) {
            return this == PAYLOAD
                    ? Numbers.bytes(value)
                    : Numbers.figure(value).replaceFirst("\\.0+$", "");
        }

        String label(long value) {
            return label((double) value);
        }

        long of(Point point) {
            return this == PAYLOAD ? point.bytes() : point.connections();
        }
    }

    /** A vertical axis. */
    record Side(Quantity quantity, Decades decades) {}

    /** What is seen, for those who do not see it. */
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
