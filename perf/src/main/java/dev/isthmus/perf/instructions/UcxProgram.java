// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.instructions;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

/** Counts rows of UCX, in the testbed. Arguments: rows as {@link UcxRow#spec} says them. */
public final class UcxProgram {

    /** In a call of a loop that warms up. */
    private static final int WARM_UP_OPERATIONS = 4;

    /** What a binding offers. */
    interface Loops extends AutoCloseable {

        /** Prepares a row, and gives its loop. */
        Blocks.Loop prepare(UcxRow row);

        @Override
        void close();
    }

    private UcxProgram() {}

    /**
     * Prints a line for each row.
     *
     * @param args rows
     */
    public static void main(String... args) {
        run(UcxLoops::new, args);
    }

    /** Runs rows of a binding. */
    static void run(Function<UcxRow.Transport, Loops> open, String... specs) {
        var blocks = new Blocks(System.out);
        Map<UcxRow.Transport, Loops> opened = new EnumMap<>(UcxRow.Transport.class);
        for (UcxRow.Transport transport : UcxRow.Transport.values()) {
            opened.put(transport, open.apply(transport));
        }
        for (UcxRow row : UcxRow.ALL) { // all, so that a row is the same whatever others are asked for
            Blocks.warmUp(opened.get(row.transport()).prepare(row), WARM_UP_OPERATIONS, row.isFirst());
        }
        List<UcxRow> rows = Stream.of(specs).map(UcxRow::of).toList();
        for (UcxRow row : rows) {
            Blocks.Loop loop = opened.get(row.transport()).prepare(row);
            blocks.measure(row.spec(), loop, row.operations(), 1);
        }
        opened.values().forEach(Loops::close);
    }
}
