// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;

/** What this JVM's JIT compilers have done so far. */
public final class JitCompilers {

    private static final CompilationMXBean COMPILERS = ManagementFactory.getCompilationMXBean();

    private JitCompilers() {}

    /**
     * For how long they have been at work, all of them together; a compilation counts when it is over.
     *
     * @return milliseconds; 0 where the JVM does not tell
     */
    public static long millis() {
        return COMPILERS != null && COMPILERS.isCompilationTimeMonitoringSupported()
                ? COMPILERS.getTotalCompilationTime()
                : 0;
    }
}
