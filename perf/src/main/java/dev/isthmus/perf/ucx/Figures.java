// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.ucx;

import dev.isthmus.perf.Rounds;
import dev.isthmus.perf.Side;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** What was measured for a cell. */
final class Figures extends Rounds {

    private final UcxCell cell;
    private final Map<Side, String> failures = new EnumMap<>(Side.class);

    Figures(UcxCell cell) {
        this.cell = cell;
    }

    UcxCell cell() {
        return cell;
    }

    void fail(Side side, String reason) {
        failures.put(side, reason);
    }

    /** Why there are none, or fewer than rounds. */
    Optional<String> failure(Side side) {
        return Optional.ofNullable(failures.get(side));
    }
}
