// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.testbed;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.invoke.MethodHandle;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * What this process uses, for comparison before and after code that must not leak.
 *
 * @param heapBytes on the Java heap, after a collection
 * @param mallocBytes what C and the JVM have from malloc() and have not freed
 * @param residentBytes in memory, of Java and C together
 * @param descriptors open files
 * @param trackedBytes the JVM's own native memory; -1 without {@code -XX:NativeMemoryTracking=summary}
 */
public record ProcessFigures(long heapBytes, long mallocBytes, long residentBytes, int descriptors, long trackedBytes) {

    /** The rounds of {@link #assertSteady}, which repeats all of them once or twice if the figures are not steady. */
    public static final int ROUNDS = 12;

    private static final int TIMES = 3;
    private static final int WARM_UP = 2; // rounds that load classes
    private static final long PAGE_BYTES = 4096;

    /** For stacks, and for what the JVM writes to for the first time. */
    private static final long RESIDENT_PAGES = 16;

    /** {@code struct mallinfo2}: ten numbers. The fifth counts mapped memory, the eighth other memory in use. */
    private static final MemoryLayout MALLINFO = MemoryLayout.structLayout(MemoryLayout.sequenceLayout(10, JAVA_LONG));

    @SuppressWarnings("restricted") // the function and its type are glibc's
    private static final MethodHandle MALLINFO2 = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().find("mallinfo2").orElseThrow(),
                    FunctionDescriptor.of(MALLINFO));

    /** The present figures, after a collection. */
    public static ProcessFigures now() {
        System.gc();
        long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        return new ProcessFigures(heap, inUse(), resident(), descriptorCount(), tracked());
    }

    /** Many operations. */
    public interface Round {

        /** Runs them. */
        void run() throws IOException;
    }

    /**
     * Requires that one round among many leaves nothing behind. A leak grows in each of them; what the JIT and the
     * pools of C occasionally take and give back, which is far more, does not.
     *
     * @param round many operations
     * @param most by how many bytes the heap, and C's memory, may have changed after the round
     */
    public static void assertStill(Round round, long most) throws IOException {
        var seen = new ArrayList<ProcessFigures>(List.of(now()));
        for (int i = 0; i < ROUNDS; i++) {
            round.run();
            ProcessFigures before = seen.getLast();
            ProcessFigures after = now();
            seen.add(after);
            if (Math.abs(after.heapBytes - before.heapBytes) <= most
                    && Math.abs(after.mallocBytes - before.mallocBytes) <= most
                    && after.residentBytes - before.residentBytes <= RESIDENT_PAGES * PAGE_BYTES + most
                    && after.descriptors == before.descriptors) {
                return;
            }
        }
        throw new AssertionError("each round left more than " + most + " bytes or a descriptor: " + seen);
    }

    /**
     * Requires that many rounds leave nothing behind, once classes are loaded. A leak grows in most rounds, and so from
     * the first half of them to the second. Neither alone is a leak: operations of which C frees some later, all at
     * once, grow in most rounds; a pool that gets a large chunk once, and may give it back, is larger in one half.
     * Resident memory stays where C's maximum was, so its minimum in the second half may not exceed its maximum in the
     * first. A leak does so each time; the JIT's compilers, which take and give back some megabytes, stop.
     *
     * @param round many operations
     * @param most how many bytes more they may take in all
     */
    public static void assertSteady(Round round, long most) throws IOException {
        for (int time = 1; ; time++) {
            var seen = new ArrayList<ProcessFigures>();
            for (int i = 0; i < ROUNDS; i++) {
                round.run();
                seen.add(now());
            }
            try {
                checkSteady(seen, most);
                return;
            } catch (AssertionError e) {
                if (time == TIMES) {
                    throw e;
                }
            }
        }
    }

    /**
     * Requires the same of given figures.
     *
     * @param seen after each round
     * @param most how many bytes more they may be in all
     */
    public static void checkSteady(List<ProcessFigures> seen, long most) {
        var first = seen.subList(WARM_UP, ROUNDS / 2);
        var second = seen.subList(ROUNDS / 2, ROUNDS);
        boolean steady = grown(seen, ProcessFigures::heapBytes) <= most
                && grown(seen, ProcessFigures::mallocBytes) <= most
                && least(second, ProcessFigures::residentBytes) - most(first, ProcessFigures::residentBytes)
                        <= most + RESIDENT_PAGES * PAGE_BYTES
                && grown(seen, ProcessFigures::descriptors) <= 0;
        if (!steady) {
            throw new AssertionError("the second half left more than " + most + " bytes or a descriptor: " + seen);
        }
    }

    // The growth from the first half to the second, or what the median round adds times the number of rounds, whichever
    // is less.
    private static long grown(List<ProcessFigures> seen, ToLongFunction<ProcessFigures> figure) {
        long byHalves =
                least(seen.subList(ROUNDS / 2, ROUNDS), figure) - least(seen.subList(WARM_UP, ROUNDS / 2), figure);
        long[] added = IntStream.range(WARM_UP, ROUNDS)
                .mapToLong(i -> figure.applyAsLong(seen.get(i)) - figure.applyAsLong(seen.get(i - 1)))
                .sorted()
                .toArray();
        return Math.min(byHalves, added[added.length / 2] * (ROUNDS / 2));
    }

    private static long least(List<ProcessFigures> of, ToLongFunction<ProcessFigures> figure) {
        return of.stream().mapToLong(figure).min().orElseThrow();
    }

    private static long most(List<ProcessFigures> of, ToLongFunction<ProcessFigures> figure) {
        return of.stream().mapToLong(figure).max().orElseThrow();
    }

    private static long inUse() {
        try (Arena arena = Arena.ofConfined()) {
            var numbers = (MemorySegment) MALLINFO2.invokeExact((SegmentAllocator) arena);
            return numbers.getAtIndex(JAVA_LONG, 4) + numbers.getAtIndex(JAVA_LONG, 7);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    private static long resident() {
        try {
            return Long.parseLong(Files.readString(Path.of("/proc/self/statm")).split(" ", -1)[1]) * PAGE_BYTES;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int descriptorCount() {
        return new File("/proc/self/fd").list().length;
    }

    private static long tracked() {
        try {
            Object text = ManagementFactory.getPlatformMBeanServer()
                    .invoke(
                            new ObjectName("com.sun.management:type=DiagnosticCommand"),
                            "vmNativeMemory",
                            new Object[] {new String[] {"summary"}},
                            new String[] {String[].class.getName()});
            String total = text.toString()
                    .lines()
                    .filter(l -> l.startsWith("Total:"))
                    .findFirst()
                    .orElse("");
            return total.isEmpty() ? -1 : Long.parseLong(total.replaceFirst(".*committed=(\\d+)KB.*", "$1")) * 1024;
        } catch (JMException e) {
            return -1;
        }
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "heap %d B, malloc %d B, resident %.1f MiB, %d descriptors%s",
                heapBytes,
                mallocBytes,
                residentBytes / 1048576.0,
                descriptors,
                trackedBytes < 0
                        ? ""
                        : String.format(Locale.ROOT, ", JVM's native memory %.1f MiB", trackedBytes / 1048576.0));
    }
}
