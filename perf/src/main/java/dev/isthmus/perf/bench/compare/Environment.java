// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.RdmaException;
import dev.isthmus.perf.common.Jar;
import dev.isthmus.perf.process.JavaChild;
import dev.isthmus.perf.process.Tool;
import dev.isthmus.ucx.UcxVersion;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The machine, and the versions of what is compared: the lines of a setting that are detected, not chosen. */
final class Environment {

    private static final Pattern VERBS = Pattern.compile("/libibverbs\\.so\\.(\\S+)");

    private static final Pattern CPU = Pattern.compile("^model name\\s*:\\s*(.*)$", Pattern.MULTILINE);

    /** Enough that the JIT has compiled the loop, and that the best round was not disturbed. */
    private static final int CLOCK_ROUNDS = 50;

    private static final int READINGS = 1000;

    /** A fraction of the processors. */
    private static final double BUSY = 0.5;

    private Environment() {}

    /** The machine, and what all venues share. */
    static Map<String, String> lines() {
        Map<String, String> lines = new LinkedHashMap<>();
        String cpus = read("/proc/cpuinfo");
        Matcher cpu = CPU.matcher(cpus);
        lines.put("machine", kind(cpus));
        lines.put("processor", processors(cpus) + " x " + (cpu.find() ? cpu.group(1) : System.getProperty("os.arch")));
        lines.put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        lines.put("JDK", System.getProperty("java.vm.vendor") + " " + Runtime.version());
        lines.put("options of the JVMs", String.join(" ", JavaChild.options()));
        lines.put("UCX", ucx());
        lines.put("JUCX", Jar.version("jucx").orElse("none"));
        return lines;
    }

    /** All of the machine's, even if this JVM is pinned to one. */
    private static long processors(String cpus) {
        long listed = cpus.lines().filter(line -> line.startsWith("processor")).count();
        return Math.max(listed, Runtime.getRuntime().availableProcessors());
    }

    /** Whether the processor is emulated in software, virtual, or physical. */
    private static String kind(String cpus) {
        if (cpus.contains("QEMU TCG")) {
            return "a VM whose processor is emulated in software (QEMU)";
        }
        return cpus.matches("(?s).*\\bflags\\b[^\\n]*\\bhypervisor\\b.*") ? "a virtual machine" : "a physical machine";
    }

    private static String read(String file) {
        try {
            return Files.readString(Path.of(file));
        } catch (IOException e) {
            return "";
        }
    }

    /** When it began, and lines that differ each time, of which the user may want to know. */
    static Map<String, String> moment(PrintStream err) {
        Map<String, String> lines = new LinkedHashMap<>();
        lines.put(Setting.DATE, Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        lines.put(Setting.LOAD, load(err));
        lines.put(Setting.CLOCK, String.format(Locale.ROOT, "%.0f", clockNanos()));
        return lines;
    }

    /** How long a call of {@link System#nanoTime} takes; each message has one. */
    private static double clockNanos() {
        long best = Long.MAX_VALUE;
        for (int i = 0; i < CLOCK_ROUNDS; i++) {
            long begin = System.nanoTime();
            long now = begin;
            for (int j = 0; j < READINGS; j++) {
                now = System.nanoTime();
            }
            best = Math.min(best, now - begin);
        }
        return (double) best / READINGS;
    }

    static Map<String, String> lines(Venue venue) throws IOException {
        Map<String, String> lines = lines();
        lines.put("between", venue.title() + (venue.client().software() ? ", RDMA by software" : ""));
        if (venue.hasDevices()) {
            lines.put("libibverbs", verbs());
            lines.put("perftest", firstLine("ib_send_lat", "--version").replace("Version: ", ""));
        }
        lines.put("UCX_TLS", UcxTool.transports(venue.client()));
        return lines;
    }

    /**
     * How many threads wanted a processor in the last minute. More than a few spoil every figure, so the user
     * is warned.
     */
    private static String load(PrintStream err) {
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        long processors = processors(read("/proc/cpuinfo"));
        String text =
                String.format(Locale.ROOT, "%.1f with %d processor%s", load, processors, processors == 1 ? "" : "s");
        if (load > processors * BUSY) {
            err.println(
                    "this machine is busy: in the last minute its load was " + text + "; the figures will be of that");
        }
        return text;
    }

    /** The library is loaded by now, and its file name contains the version: libibverbs.so.1.14.44.0. */
    static String verbs() throws IOException {
        Matcher library = VERBS.matcher(Files.readString(Path.of("/proc/self/maps")));
        return library.find() ? library.group(1) : "unknown";
    }

    private static String ucx() {
        try {
            return UcxVersion.loaded().toString();
        } catch (RdmaException e) {
            return "none";
        }
    }

    private static String firstLine(String... command) {
        try {
            return Tool.firstLine(command);
        } catch (IOException e) {
            return "none"; // then its ways are left out
        }
    }
}
