// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import java.util.function.BiConsumer;

/**
 * Counts rows of verbs, in the testbed. Arguments: a device, then rows in the form of {@link VerbsRow#spec}.
 *
 * <p>Suite and library are loaded anew for each row, for the JIT: docs/instructions.md, "How it counts".
 */
public final class VerbsProgram implements BiConsumer<String, String> {

    /** For {@link OwnClasses}. */
    public VerbsProgram() {}

    /** Prints a line for each row. */
    public static void main(String... args) throws ReflectiveOperationException {
        OwnClasses.measure(VerbsProgram.class, args);
    }

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
