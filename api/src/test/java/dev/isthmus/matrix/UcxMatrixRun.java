// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import java.util.List;

/** The child of {@link UcxMatrixTest}. Arguments: those of {@link MatrixRun#run}, the matrix, and the transports. */
final class UcxMatrixRun {

    private UcxMatrixRun() {}

    public static void main(String[] args) throws InterruptedException {
        UcxScene.Shared shared = UcxScene.Shared.of(args[5]);
        List<Cell> cells = switch (args[4]) {
            case "handlers" -> UcxHandlers.all(shared);
            case "loans" -> UcxLoan.all(shared);
            default -> throw new IllegalArgumentException(args[4]);
        };
        MatrixRun.run(
                cells,
                args,
                new Cell("close of the context", () -> shared.context().close()));
    }
}
