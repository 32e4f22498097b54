// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.isthmus.perf.common.Side;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** A row, and what was counted so far. */
final class RowCounts {

    /**
     * The cost of an operation.
     *
     * @param instructions those of the best block: disturbances, such as a tick of the kernel's clock, only
     *     add instructions
     * @param bytes allocated on the Java heap
     */
    record Figure(double instructions, double bytes) {

        /** Reads the words of a program's line after the row: bytes, then a value for each block. */
        static Figure of(String[] words, int from) {
            double best = Arrays.stream(words, from + 1, words.length)
                    .mapToDouble(Double::parseDouble)
                    .min()
                    .orElseThrow(() -> new IllegalArgumentException("no values: " + String.join(" ", words)));
            return new Figure(best, Double.parseDouble(words[from]));
        }
    }

    private final Row row;
    private final Map<Side, Figure> figures = new EnumMap<>(Side.class);

    RowCounts(Row row) {
        this.row = row;
    }

    @JsonProperty("row")
    String title() {
        return row.title();
    }

    void put(Side side, Figure figure) {
        figures.put(side, figure);
    }

    Optional<Figure> of(Side side) {
        return Optional.ofNullable(figures.get(side));
    }

    @JsonProperty
    Map<Side, Figure> figures() {
        return Collections.unmodifiableMap(figures);
    }

    double instructions(Side side) {
        return figures.get(side).instructions();
    }

    /** Java over another side. */
    double ratio(Side over) {
        return instructions(Side.JAVA) / instructions(over);
    }
}
