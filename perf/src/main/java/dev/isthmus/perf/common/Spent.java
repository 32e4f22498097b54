// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.common;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

/**
 * The time that processes have spent.
 *
 * @param compileMillis how long all JIT compilers together have worked; a compilation counts once it has ended
 * @param processorNanos how long processors have worked, in programs and in the kernel on their behalf
 */
public record Spent(long compileMillis, long processorNanos) {

    /** No time at all. */
    public static final Spent NOTHING = new Spent(0, 0);

    private static final CompilationMXBean COMPILERS = ManagementFactory.getCompilationMXBean();
    private static final int SELF = 0;
    private static final int CHILDREN = -1;

    /**
     * The length of {@code struct rusage}, which begins with the times of the program and of the kernel, seconds and
     * microseconds each.
     */
    private static final int LONGS = 18;

    @SuppressWarnings("restricted")
    private static final MethodHandle GETRUSAGE = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().find("getrusage").orElseThrow(),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));

    /** What this JVM has spent so far. */
    public static Spent soFar() {
        return new Spent(compileMillisSoFar(), processorNanos(SELF));
    }

    /** What the ended child processes of this process have spent. */
    public static Spent byChildren() {
        return new Spent(0, processorNanos(CHILDREN));
    }

    private static long compileMillisSoFar() {
        return COMPILERS != null && COMPILERS.isCompilationTimeMonitoringSupported()
                ? COMPILERS.getTotalCompilationTime()
                : 0;
    }

    /** Reads the processor time in microseconds; {@code /proc} only has hundredths of a second. */
    private static long processorNanos(int whose) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment usage = arena.allocate(ValueLayout.JAVA_LONG, LONGS);
            int failed = (int) GETRUSAGE.invokeExact(whose, usage);
            if (failed != 0) {
                throw new IllegalStateException("getrusage(" + whose + ") failed");
            }
            return nanos(usage, 0) + nanos(usage, 2);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e); // C throws nothing
        }
    }

    private static long nanos(MemorySegment usage, int index) {
        return TimeUnit.SECONDS.toNanos(usage.getAtIndex(ValueLayout.JAVA_LONG, index))
                + TimeUnit.MICROSECONDS.toNanos(usage.getAtIndex(ValueLayout.JAVA_LONG, index + 1));
    }

    /** What was spent since an earlier reading. */
    public Spent since(Spent before) {
        return new Spent(compileMillis - before.compileMillis, processorNanos - before.processorNanos);
    }

    /** What two processes have spent together. */
    public Spent plus(Spent other) {
        return new Spent(compileMillis + other.compileMillis, processorNanos + other.processorNanos);
    }
}
