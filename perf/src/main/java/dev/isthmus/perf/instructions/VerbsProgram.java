// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.instructions;

import java.util.List;
import java.util.function.BiConsumer;

/**
 * Counts rows of verbs, in the testbed. Arguments: a device, then rows as {@link VerbsRow#spec} says them.
 *
 * <p>C2 compiles a loop, and what it calls, for what it has seen in them, such as how many completions a poll finds. So suite
 * and library are loaded anew for each row, as in a program that does the one thing.
 */
public final class VerbsProgram {

    private VerbsProgram() {}

    /**
     * Prints a line for each row.
     *
     * @param args a device and rows
     */
    @SuppressWarnings("unchecked") // the class is Measure
    public static void main(String... args) throws ReflectiveOperationException {
        for (String spec : List.of(args).subList(1, args.length)) {
            Class<?> measure = new OwnClasses().loadClass(Measure.class.getName());
            ((BiConsumer<String, String>) measure.getConstructor().newInstance()).accept(args[0], spec);
        }
    }

    /** Measures a row on a device. */
    public static final class Measure implements BiConsumer<String, String> {

        /** For {@link VerbsProgram}. */
        public Measure() {}

        @Override
        public void accept(String device, String spec) {
            try (var loops = new VerbsLoops(device)) {
                VerbsRow row = VerbsRow.of(spec);
                loops.prepare(row);
                Blocks.warmUp(loops.loop(row), VerbsLoops.SIGNAL_EVERY, true);
                new Blocks(System.out).measure(spec, loops.loop(row), row.operations(), row.perOperation());
            }
        }
    }
}
