// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.RdmaException;
import dev.isthmus.perf.common.Machine;
import dev.isthmus.perf.process.JavaChild;
import dev.isthmus.perf.process.Tool;
import dev.isthmus.perf.tools.ucx.UcxPeer;
import dev.isthmus.ucx.UcxVersion;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The machine, and the versions of what is compared: the lines of a setting that are detected, not chosen. */
final class Environment {

    private static final Pattern VERBS = Pattern.compile("/libibverbs\\.so\\.(\\S+)");

    /** A fraction of the processors. */
    private static final double BUSY = 0.5;

    private Environment() {}

    /** The machine, and what all venues share. */
    static Map<String, String> lines() {
        Machine machine = Machine.here(Machine.virtualization(), Map.of());
        Map<String, String> lines = new LinkedHashMap<>();
        lines.put("machine", machine.where());
        lines.put("processor", machine.cpus() + " x " + machine.cpu());
        lines.put("kernel", machine.kernel());
        lines.put("JDK", machine.jdk());
        lines.put("options of the JVMs", String.join(" ", JavaChild.options()));
        lines.put("UCX", ucx());
        lines.put("JUCX", UcxPeer.jucx().orElse("none"));
        return lines;
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
    static String load(PrintStream err) {
        OperatingSystemMXBean system = ManagementFactory.getOperatingSystemMXBean();
        double load = system.getSystemLoadAverage();
        int processors = system.getAvailableProcessors();
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
