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
        VerbsRow row = VerbsRow.of(spec);
        try (var loops = VerbsRow.ALL.contains(row) ? new VerbsLoops(device) : VerbsLoops.onCard(device)) {
            loops.prepare(row);
            Blocks.warmUp(loops.loop(row), row.warmUpOperations(), true);
            new Blocks(System.out).measure(spec, loops.loop(row), row.operations(), row.perOperation());
        }
    }
}
