// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import dev.isthmus.perf.common.Side;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** A row, and what was counted so far. */
final class RowCounts {

    private final Row row;
    private final Map<Side, Figure> figures = new EnumMap<>(Side.class);

    RowCounts(Row row) {
        this.row = row;
    }

    String title() {
        return row.title();
    }

    void put(Side side, Figure figure) {
        figures.put(side, figure);
    }

    Optional<Figure> of(Side side) {
        return Optional.ofNullable(figures.get(side));
    }

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
