// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.testbed.ChildJvm;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * All public calls of verbs and cm, where a program is most likely to make a mistake. {@link Matrix} says how to make all
 * cells.
 */
@Tag("device")
@Tag("connectx")
class VerbsMatrixTest {

    private static final int FEW = 15; // of each matrix
    private static final int CELLS = 200;

    @Test
    void shouldHaveAnObjectAndArgumentsForEachCall() {
        assertEquals(List.of(), VerbsCalls.RECIPES.missing(VerbsCalls.all()));
    }

    @Test
    void shouldAnswerInAFewCells() throws Exception {
        Cell end = VerbsMatrixRun.nothingLeft();
        Matrix.makeHere(VerbsHandlers.all(), FEW);
        Matrix.makeHere(VerbsLoan.all(), FEW);
        end.step().run();
    }

    @Test
    @Tag("extended")
    void shouldAnswerEachCallInEachHandlerAfterEachClose() {
        new Matrix(ChildJvm::new, VerbsMatrixRun.class, "handlers").run(CELLS);
    }

    @Test
    @Tag("extended")
    void shouldKeepEachLoanDuringEachClose() {
        new Matrix(ChildJvm::new, VerbsMatrixRun.class, "loans").run(CELLS);
    }
}
