// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Counts rows of sockets over RDMA, in the testbed. Arguments: the address of a device, then rows in the form of
 * {@link SocketRow#spec}. Suite and library are loaded anew for each row, as in {@link VerbsProgram}.
 */
public final class SocketProgram {

    /** In each call of the loop during warm-up. */
    private static final int WARM_UP_OPERATIONS = 4;

    /** The testbed's clock leaps while files are read, for instance to load classes. */
    private static final String PATIENCE_SECONDS = "86400";

    private SocketProgram() {}

    /**
     * Prints a line for each row.
     *
     * @param args an address and rows
     */
    @SuppressWarnings("unchecked") // the class is Measure
    public static void main(String... args) throws ReflectiveOperationException {
        System.setProperty("isthmus.nio.connectSeconds", PATIENCE_SECONDS);
        System.setProperty("isthmus.nio.handshakeSeconds", PATIENCE_SECONDS);
        for (String spec : List.of(args).subList(1, args.length)) {
            Class<?> measure = new OwnClasses().loadClass(Measure.class.getName());
            ((BiConsumer<String, String>) measure.getConstructor().newInstance()).accept(args[0], spec);
        }
    }

    /** Measures a row at an address. */
    public static final class Measure implements BiConsumer<String, String> {

        /** For {@link SocketProgram}. */
        public Measure() {}

        @Override
        public void accept(String address, String spec) {
            SocketRow row = SocketRow.of(spec);
            try (var loops = new SocketLoops(address, row)) {
                Blocks.warmUp(loops::run, WARM_UP_OPERATIONS, true);
                new Blocks(System.out).measure(spec, loops::run, row.operations(), 1);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
