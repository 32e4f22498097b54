// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import dev.isthmus.perf.common.Side;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Counts rows of UCX, in the testbed. Arguments: the side, JAVA or JUCX, then rows in the form of {@link UcxRow#spec}. */
public final class UcxProgram {

    /** In each call of a loop during warm-up. */
    private static final int WARM_UP_OPERATIONS = 4;

    /** The loops of a binding. */
    interface Loops extends AutoCloseable {

        /** Prepares a row, and returns its loop. */
        Blocks.Loop prepare(UcxRow row);

        @Override
        void close();
    }

    private UcxProgram() {}

    /** Prints a line for each row. */
    public static void main(String... args) {
        boolean jucx = Side.valueOf(args[0]) == Side.JUCX;
        var blocks = new Blocks(System.out);
        Map<UcxRow.Transport, Loops> opened = new EnumMap<>(UcxRow.Transport.class);
        for (UcxRow.Transport transport : UcxRow.Transport.values()) {
            opened.put(transport, jucx ? new JucxLoops(transport) : new UcxLoops(transport));
        }
        for (UcxRow row : UcxRow.ALL) { // all, so that a row does not depend on which others are requested
            Blocks.warmUp(opened.get(row.transport()).prepare(row), WARM_UP_OPERATIONS, row.isFirst());
        }
        List<UcxRow> rows = Stream.of(args).skip(1).map(UcxRow::of).toList();
        for (UcxRow row : rows) {
            Blocks.Loop loop = opened.get(row.transport()).prepare(row);
            blocks.measure(row.spec(), loop, row.operations(), 1);
        }
        opened.values().forEach(Loops::close);
    }
}
