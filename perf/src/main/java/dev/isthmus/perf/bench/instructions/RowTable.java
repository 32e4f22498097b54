// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import dev.isthmus.perf.common.Side;
import java.util.Locale;
import java.util.function.Consumer;

/** The table on the terminal. */
record RowTable(Accepted accepted, Consumer<String> out) {

    void header() {
        print("instructions", "C", "Java", "Java-C", "Java/C", "JUCX/C", "B/op", "accepted");
    }

    void row(RowCounts count) {
        RowCounts.Figure java = count.of(Side.JAVA).orElseThrow();
        double c = count.instructions(Side.C);
        print(
                count.title(),
                number("%.1f", c),
                number("%.1f", java.instructions()),
                number("%.1f", java.instructions() - c),
                number("%.4f", java.instructions() / c),
                count.of(Side.JUCX)
                        .map(jucx -> number("%.3f", jucx.instructions() / c))
                        .orElse(""),
                number("%.2f", java.bytes()),
                accepted.java(count.title())
                        .map(figure -> number("%.1f", figure))
                        .orElse("-"));
    }

    private void print(Object... cells) {
        out.accept(String.format(Locale.ROOT, "%-24s %10s %10s %8s %8s %8s %8s %10s", cells)
                .stripTrailing());
    }

    private static String number(String form, double value) {
        return String.format(Locale.ROOT, form, value);
    }
}
