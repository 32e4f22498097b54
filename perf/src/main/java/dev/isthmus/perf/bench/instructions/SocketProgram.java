// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.BiConsumer;

/**
 * Counts rows of sockets over RDMA, in the testbed. Arguments: the address of a device, then rows in the form of
 * {@link SocketRow#spec}. Suite and library are loaded anew for each row, as in {@link VerbsProgram}.
 */
public final class SocketProgram implements BiConsumer<String, String> {

    /** In each call of the loop during warm-up. */
    private static final int WARM_UP_OPERATIONS = 4;

    /** The testbed's clock leaps while files are read, for instance to load classes. */
    private static final String PATIENCE_SECONDS = "86400";

    /** For {@link OwnClasses}. */
    public SocketProgram() {}

    /** Prints a line for each row. */
    public static void main(String... args) throws ReflectiveOperationException {
        System.setProperty("isthmus.nio.connectSeconds", PATIENCE_SECONDS);
        System.setProperty("isthmus.nio.handshakeSeconds", PATIENCE_SECONDS);
        OwnClasses.measure(SocketProgram.class, args);
    }

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
