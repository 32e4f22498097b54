// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import java.util.ArrayList;
import java.util.List;

/** What was wrong in a cell. */
final class Faults {

    private final List<String> all = new ArrayList<>();

    void add(String fault) {
        all.add(fault);
    }

    /** A step that the cell may have made impossible: any refusal of the library is right, and nothing else. */
    void lenient(Cell.Step step) {
        try {
            step.run();
        } catch (Exception e) {
            String wrong = Judge.wrong(e, Judge.ANY);
            if (wrong != null) {
                add(wrong + ": " + MatrixRun.trace(e));
            }
        }
    }

    List<String> all() {
        return all;
    }
}
