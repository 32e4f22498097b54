// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.RdmaUnavailableException;
import dev.isthmus.safety.KernelResources;
import java.util.List;

/** The child of {@link VerbsMatrixTest}. Arguments: those of {@link MatrixRun#run}, and the matrix. */
final class VerbsMatrixRun {

    private VerbsMatrixRun() {}

    public static void main(String[] args) throws Exception {
        List<Cell> cells = switch (args[4]) {
            case "handlers" -> VerbsHandlers.all();
            case "loans" -> VerbsLoan.all();
            default -> throw new IllegalArgumentException(args[4]);
        };
        MatrixRun.run(cells, args, nothingLeft());
    }

    /** A cell after all others, which finds what the kernel holds longer than it should. */
    static Cell nothingLeft() throws Exception {
        var first = new VerbsScene();
        try {
            first.bound().device(); // librdmacm keeps what it opens
        } catch (RdmaUnavailableException e) {
            System.out.println("SKIPPED " + e); // a simulated card
        }
        assertEquals(List.of(), first.finish());
        String before = KernelResources.now();
        return new Cell("the kernel's resources", () -> assertEquals(before, KernelResources.await(before)));
    }
}
