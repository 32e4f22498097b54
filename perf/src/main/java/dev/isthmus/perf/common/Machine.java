// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.common;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The machine on which something was measured.
 *
 * @param where the kind of machine, in words
 * @param kernel the operating system and its version
 * @param cpu the model of the processor
 * @param cpus how many there are
 * @param jdk the Java that ran
 * @param versions the versions that the C tools and libraries report
 * @param clockNanos how long a call of {@link System#nanoTime} takes; each message has one
 */
public record Machine(
        String where,
        String kernel,
        String cpu,
        int cpus,
        String jdk,
        Map<String, String> versions,
        double clockNanos) {

    /** Enough that the JIT has compiled the loop, and that the best round was not disturbed. */
    private static final int CLOCK_ROUNDS = 50;

    private static final int READINGS = 1000;

    private static final Pattern CPU = Pattern.compile("^model name\\s*:\\s*(.*)$", Pattern.MULTILINE);

    /** Describes the machine on which this JVM runs. */
    public static Machine here(String where, Map<String, String> versions) {
        Matcher cpu = CPU.matcher(read("/proc/cpuinfo"));
        return new Machine(
                where,
                System.getProperty("os.name") + " " + System.getProperty("os.version"),
                cpu.find() ? cpu.group(1) : System.getProperty("os.arch"),
                processors(),
                System.getProperty("java.vm.vendor") + " " + Runtime.version(),
                Map.copyOf(versions),
                clockNanosHere());
    }

    /** Kernel, processors, Java, versions, and the time of a clock reading, in one line. */
    public String inWords() {
        String all = new TreeMap<>(versions)
                .entrySet().stream()
                        .map(version -> version.getKey() + " " + version.getValue())
                        .collect(Collectors.joining(", "));
        return String.format(
                Locale.ROOT,
                "%s; %d x %s; %s; %s; System.nanoTime() takes %.0f ns",
                kernel,
                cpus,
                cpu,
                jdk,
                all,
                clockNanos);
    }

    private static double clockNanosHere() {
        long best = Long.MAX_VALUE;
        for (int i = 0; i < CLOCK_ROUNDS; i++) {
            best = Math.min(best, clockReadings());
        }
        return (double) best / READINGS;
    }

    private static long clockReadings() {
        long begin = System.nanoTime();
        long now = begin;
        for (int i = 0; i < READINGS; i++) {
            now = System.nanoTime();
        }
        return now - begin;
    }

    /** How many processors the machine has in all, even if this JVM is pinned to one of them. */
    private static int processors() {
        int listed = (int) read("/proc/cpuinfo")
                .lines()
                .filter(line -> line.startsWith("processor"))
                .count();
        return Math.max(listed, Runtime.getRuntime().availableProcessors());
    }

    /** Whether QEMU emulates the processor in software. */
    public static boolean isEmulated() {
        return read("/proc/cpuinfo").contains("QEMU TCG");
    }

    /** Whether the processor is emulated in software, virtual, or physical. */
    public static String virtualization() {
        if (isEmulated()) {
            return "a VM whose processor is emulated in software (QEMU)";
        }
        return read("/proc/cpuinfo").matches("(?s).*\\bflags\\b[^\\n]*\\bhypervisor\\b.*")
                ? "a virtual machine"
                : "a physical machine";
    }

    private static String read(String file) {
        try {
            return Files.readString(Path.of(file));
        } catch (IOException e) {
            return "";
        }
    }
}
