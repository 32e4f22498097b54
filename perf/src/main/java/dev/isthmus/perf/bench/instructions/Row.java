// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/**
 * One line of the table.
 *
 * @param title the name in the table and in options
 * @param spec the name in the programs' arguments and output
 */
record Row(String title, String spec) {

    /** All rows of a suite. */
    static <R> List<Row> of(List<R> all, Function<R, String> title, Function<R, String> spec) {
        return all.stream()
                .map(row -> new Row(title.apply(row), spec.apply(row)))
                .toList();
    }

    /** The one of a suite's rows that a program's argument names. */
    static <R> R named(String spec, List<R> all, Function<R, String> specs) {
        return all.stream()
                .filter(row -> specs.apply(row).equals(spec))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no row " + spec + ", only "
                        + all.stream().map(specs).toList()));
    }

    /** An enum's constant as a word of a name. */
    static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
