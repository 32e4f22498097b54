// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import java.util.function.BiConsumer;

/**
 * Counts rows of verbs, in the testbed. Arguments: a device, then rows in the form of {@link VerbsRow#spec}.
 *
 * <p>Suite and library are loaded anew for each row, for the JIT: docs/instructions.md, "How it counts".
 */
public final class VerbsProgram implements BiConsumer<String, String> {

    /** A system property: whether Java itself drives the queues of a card. */
    static final String DIRECT = "isthmus.mlx5.direct";

    /** For {@link OwnClasses}. */
    public VerbsProgram() {}

    /** Prints a line for each row. */
    public static void main(String... args) throws ReflectiveOperationException {
        OwnClasses.measure(VerbsProgram.class, args);
    }

    @Override
    public void accept(String device, String spec) {
        VerbsRow row = VerbsRow.of(spec);
        boolean direct = Boolean.getBoolean(DIRECT);
        boolean onCard = direct || !VerbsRow.ALL.contains(row);
        try (var loops = onCard ? VerbsLoops.onCard(device, direct) : new VerbsLoops(device)) {
            loops.prepare(row);
            Blocks.warmUp(loops.loop(row), row.warmUpOperations(), true);
            new Blocks(System.out).measure(spec, loops.loop(row), row.operations(), row.perOperation());
        }
    }
}
