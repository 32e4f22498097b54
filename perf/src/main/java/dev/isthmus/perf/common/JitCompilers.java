// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.common;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;

/** What this JVM's JIT compilers have done so far. */
public final class JitCompilers {

    private static final CompilationMXBean COMPILERS = ManagementFactory.getCompilationMXBean();

    private JitCompilers() {}

    /**
     * How long all of them have worked in total. A compilation counts once it has ended.
     *
     * @return milliseconds; 0 if the JVM does not say
     */
    public static long millis() {
        return COMPILERS != null && COMPILERS.isCompilationTimeMonitoringSupported()
                ? COMPILERS.getTotalCompilationTime()
                : 0;
    }
}
