// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

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
public final class Blocks {

    /** A loop over operations. */
    public interface Loop {
        /**
         * Runs operations.
         *
         * @return the nanoseconds that they took, without what prepares and drains
         */
        long run(int count);
    }

    /** Calls of a loop before it is measured. */
    private static final int WARM_UP_CALLS = 7_000;

    private static final int WARMED_UP_CALLS = 500;

    /** How many blocks are printed, and compared with as many before them. */
    private static final int WINDOW = 31;

    /** The figures are steady if the best blocks of two windows differ by no more than this. */
    private static final double STEADY = 0.0005;

    private static final int MAX_BLOCKS = 10 * WINDOW;

    private final PrintStream out;
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();

    Blocks(PrintStream out) {
        this.out = out;
    }

    /**
     * Calls a loop until C2 has compiled it and its callees: docs/instructions.md, "How it counts".
     *
     * @param operations of each call: few
     * @param fresh whether the loop has not run before with other requests
     */
    static void warmUp(Loop loop, int operations, boolean fresh) {
        for (int i = 0; i < (fresh ? WARM_UP_CALLS : WARMED_UP_CALLS); i++) {
            loop.run(operations);
        }
    }

    /**
     * Measures a row.
     *
     * @param perOperation by how much to divide an operation's figures: the messages of a chain
     */
    void measure(String row, Loop loop, int operations, int perOperation) {
        double[] values = new double[2 * WINDOW];
        double count = (double) operations * perOperation;
        long bytes = Long.MAX_VALUE; // of the best block: the JIT allocates a little when it replaces running code
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

    /**
     * Compares the best block of each window: disturbances, such as a tick of the kernel's clock, only
     * add instructions.
     */
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
