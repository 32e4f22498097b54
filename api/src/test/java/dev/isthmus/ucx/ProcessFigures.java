package dev.isthmus.ucx;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * What this process uses: to be compared before and after what must not leak.
 *
 * @param heapBytes on the Java heap, after a collection
 * @param residentBytes in memory, of Java and C together
 * @param descriptors open files
 * @param trackedBytes what the JVM itself has of native memory; -1 without {@code -XX:NativeMemoryTracking=summary}
 */
record ProcessFigures(long heapBytes, long residentBytes, int descriptors, long trackedBytes) {

    private static final long PAGE_BYTES = 4096;

    static ProcessFigures now() {
        System.gc();
        long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        return new ProcessFigures(heap, resident(), descriptorCount(), tracked());
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

    /** How much of the resident memory is beyond that of an earlier time. */
    long grownBy(ProcessFigures earlier) {
        return residentBytes - earlier.residentBytes;
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "heap %.1f MiB, resident %.1f MiB, %d descriptors%s",
                heapBytes / 1048576.0,
                residentBytes / 1048576.0,
                descriptors,
                trackedBytes < 0
                        ? ""
                        : String.format(Locale.ROOT, ", JVM's native memory %.1f MiB", trackedBytes / 1048576.0));
    }
}
