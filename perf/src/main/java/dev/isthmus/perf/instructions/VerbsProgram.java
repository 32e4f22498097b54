package dev.isthmus.perf.instructions;

import dev.isthmus.verbs.SendOpcode;
import java.util.List;
import java.util.stream.Stream;

/** Counts rows of verbs, in the testbed. Arguments: a device, then rows as {@link VerbsRow#spec} says them. */
public final class VerbsProgram {

    private VerbsProgram() {}

    /**
     * Prints a line for each row.
     *
     * @param args a device and rows
     */
    public static void main(String... args) {
        var blocks = new Blocks(System.out);
        try (var loops = new VerbsLoops(args[0])) {
            for (VerbsRow row : VerbsRow.ALL) { // all, so that a row is the same whatever others are asked for
                warmUp(loops, row);
            }
            List<VerbsRow> rows = Stream.of(args).skip(1).map(VerbsRow::of).toList();
            for (VerbsRow row : rows) {
                loops.prepare(row);
                blocks.measure(row.spec(), loops.loop(row), row.operations(), row.perOperation());
            }
        }
    }

    private static void warmUp(VerbsLoops loops, VerbsRow row) {
        loops.prepare(row);
        Blocks.warmUp(loops.loop(row), VerbsLoops.SIGNAL_EVERY, isFirst(row));
    }

    /** Whether no row before it has the same loop. */
    private static boolean isFirst(VerbsRow row) {
        return VerbsRow.ALL.stream()
                .filter(other -> other.way() == row.way() && isSend(other) == isSend(row))
                .findFirst()
                .orElseThrow()
                .equals(row);
    }

    private static boolean isSend(VerbsRow row) {
        return row.opcode() == SendOpcode.SEND;
    }
}
