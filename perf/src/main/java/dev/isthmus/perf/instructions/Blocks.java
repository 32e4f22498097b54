// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.instructions;

import com.sun.management.ThreadMXBean;
import java.io.PrintStream;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Locale;

/**
 * Times blocks of operations where the clock counts instructions, until they are steady, and prints the last ones:
 * {@code "ROW BYTES VALUE..."}, bytes allocated and instructions per operation. The C twins do so in {@code blocks.h}.
 */
final class Blocks {

    /** A loop over operations. */
    interface Loop {
        /**
         * Runs operations.
         *
         * @return the nanoseconds that they took, without what prepares and drains
         */
        long run(int count);
    }

    /** Calls of a loop before it is looked at: C2 compiles a method after 5,000. */
    private static final int WARM_UP_CALLS = 7_000;

    private static final int WARMED_UP_CALLS = 500;

    /** How many blocks are compared with as many before them; so many are printed. */
    private static final int WINDOW = 31;

    /** The best blocks of two windows that are so near to each other are steady. */
    private static final double STEADY = 0.0005;

    private static final int MAX_BLOCKS = 10 * WINDOW;

    private final PrintStream out;
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();

    Blocks(PrintStream out) {
        this.out = out;
    }

    /**
     * Calls a loop until C2 has compiled it and what it calls. Few operations a call: calls are what counts, and a loop
     * that does not end is compiled in a way of its own.
     *
     * @param fresh whether the loop was not run before, with other requests
     */
    static void warmUp(Loop loop, int operations, boolean fresh) {
        for (int i = 0; i < (fresh ? WARM_UP_CALLS : WARMED_UP_CALLS); i++) {
            loop.run(operations);
        }
    }

    /**
     * Measures a row.
     *
     * @param perOperation what the figures are per, in an operation: the messages of a chain
     */
    void measure(String row, Loop loop, int operations, int perOperation) {
        double[] values = new double[2 * WINDOW];
        double count = (double) operations * perOperation;
        long bytes = Long.MAX_VALUE; // in the best block: the JIT adds a little once, when it replaces what runs
        long compiled = 0;
        for (int blocks = 0; blocks < MAX_BLOCKS; blocks++) {
            if (blocks % WINDOW == 0) {
                if (blocks >= 2 * WINDOW && compiled == compileMillis() && isSteady(values)) {
                    break;
                }
                compiled = compileMillis();
                System.arraycopy(values, WINDOW, values, 0, WINDOW);
            }
            long before = threads.getCurrentThreadAllocatedBytes();
            long nanos = loop.run(operations);
            bytes = Math.min(bytes, threads.getCurrentThreadAllocatedBytes() - before);
            values[WINDOW + blocks % WINDOW] = nanos / count;
        }
        print(row, bytes / count, values);
    }

    private long compileMillis() {
        return compiler.getTotalCompilationTime();
    }

    /** By the best block of each window: what disturbs one, such as a tick of the kernel's clock, only adds. */
    private static boolean isSteady(double[] values) {
        double before = Arrays.stream(values, 0, WINDOW).min().orElseThrow();
        double after = Arrays.stream(values, WINDOW, 2 * WINDOW).min().orElseThrow();
        return Math.abs(after - before) <= STEADY * before;
    }

    private void print(String row, double bytes, double[] values) {
        var line = new StringBuilder(row).append(String.format(Locale.ROOT, " %.2f", bytes));
        for (int i = WINDOW; i < values.length; i++) {
            line.append(String.format(Locale.ROOT, " %.3f", values[i]));
        }
        out.println(line);
        out.flush();
    }
}
