// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.testbed;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/**
 * Counts the bytes that code allocates on the Java heap, over several rounds. What linking allocates at a first call,
 * or the JIT once when it replaces running code, is in some of them; what an operation allocates, even if only one in
 * many does, is in all.
 */
public final class Allocated {

    private static final int ROUNDS = 6;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Allocated() {}

    /**
     * Requires that there is a round in which this thread allocates not a byte.
     *
     * @param round many operations
     * @throws AssertionError if all allocate
     */
    public static void assertNone(Runnable round) {
        List<Long> bytes = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            round.run();
            long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
            if (allocated == 0) {
                return;
            }
            bytes.add(allocated);
        }
        throw new AssertionError(bytes + " bytes were allocated in the rounds");
    }
}
