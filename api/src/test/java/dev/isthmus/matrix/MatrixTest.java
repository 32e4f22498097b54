// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.matrix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.ChildJvm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("unit")
class MatrixTest {

    private static final Pattern FAULT = Pattern.compile("some\\.c:643 .*Assertion.*");

    @TempDir
    private Path made;

    @Test
    void shouldMakeACellAgainThatAKnownFaultHasEnded() {
        matrix("some.c:643  Assertion `one' failed", 1).knownFault(FAULT).run(3);

        assertEquals(List.of(1, 2, 1), timesOfEach());
    }

    @Test
    void shouldFailIfAKnownFaultEndsTheSameCellAgain() {
        Matrix matrix = matrix("some.c:643  Assertion `one' failed", 2).knownFault(FAULT);

        assertFails(matrix, "some.c:643");
        assertEquals(List.of(1, 2, 1), timesOfEach());
    }

    @Test
    void shouldFailOfAnyOtherEndAtOnce() {
        Matrix matrix = matrix("some.c:644  Assertion `one' failed", 1).knownFault(FAULT);

        assertFails(matrix, "some.c:644");
        assertEquals(List.of(1, 1, 1), timesOfEach());
    }

    private static void assertFails(Matrix matrix, String saying) {
        AssertionError failure = assertThrows(AssertionError.class, () -> matrix.run(3));
        assertTrue(failure.getMessage().contains(saying), failure::getMessage);
    }

    private Matrix matrix(String lastWords, int deaths) {
        return new Matrix(ChildJvm::new, DyingRun.class, made.toString(), lastWords, Integer.toString(deaths));
    }

    private List<Integer> timesOfEach() {
        return IntStream.range(0, 3).mapToObj(this::times).toList();
    }

    private int times(int cell) {
        return DyingRun.times(made.resolve("cell" + cell));
    }

    /** Makes three cells, of which the second ends the process. */
    static final class DyingRun {

        private DyingRun() {}

        public static void main(String[] args) throws InterruptedException {
            List<Cell> cells = IntStream.range(0, 3)
                    .mapToObj(cell -> new Cell("cell" + cell, () -> make(cell, args)))
                    .toList();
            MatrixRun.run(cells, args, new Cell("end", () -> {}));
        }

        private static void make(int cell, String[] args) throws IOException {
            Path count = Path.of(args[4]).resolve("cell" + cell);
            Files.writeString(count, Integer.toString(times(count) + 1));
            if (cell == 1 && times(count) <= Integer.parseInt(args[6])) {
                System.out.println(args[5]);
                System.out.flush();
                Runtime.getRuntime().halt(134);
            }
        }

        static int times(Path count) {
            try {
                return Files.exists(count) ? Integer.parseInt(Files.readString(count)) : 0;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
