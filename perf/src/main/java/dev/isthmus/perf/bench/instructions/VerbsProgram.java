// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import java.util.List;
import java.util.function.BiConsumer;

/**
 * Counts rows of verbs, in the testbed. Arguments: a device, then rows in the form of {@link VerbsRow#spec}.
 *
 * <p>Suite and library are loaded anew for each row, for the JIT: docs/instructions.md, "How it counts".
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
