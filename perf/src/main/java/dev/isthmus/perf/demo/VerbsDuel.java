// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.demo;

import dev.isthmus.perf.Machine;
import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.Tool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ib_send_lat} against ours, RC sends over the devices of the machine that this runs on. Prints {@link Event}s. */
@Command(name = "demo-verbs", hidden = true)
public final class VerbsDuel implements Callable<Integer> {

    static final String PATH = "verbs";

    private static final int C_PORT = 18515;
    private static final int JAVA_PORT = 18516;

    /** In the testbed, the JIT is done after some ten thousand iterations. */
    private static final Duel.WarmUp WARM_UP = new Duel.WarmUp(30_000, 120_000, Duration.ofSeconds(30), 0.04);

    private static final Pattern LIBRARY = Pattern.compile("/libibverbs\\.so\\.(\\S+)");

    @Mixin
    private DuelOptions options;

    @Override
    public Integer call() throws IOException, InterruptedException {
        var out = new Event.Printer(System.out);
        out.begin();
        try (var children = new Children();
                var java = new JavaSendLat(JAVA_PORT, children)) {
            DevicePair devices = DevicePair.find();
            java.use(devices);
            out.machine(Machine.here(where(devices), versions()));
            var c = new CSendLat(devices, C_PORT, children);
            new Duel(PATH, options.sizes(), options.iterations(), options.rounds(), WARM_UP).run(c, java, out);
        }
        return 0;
    }

    private static String where(DevicePair devices) throws IOException {
        String from = devices.client().device();
        String to = devices.server().device();
        String link = from.equals(to) ? from + " with itself" : from + " to " + to;
        return kind(from) + " (" + link + ") on " + Machine.virtualization();
    }

    /** Devices of Soft-RoCE and SoftiWARP have no real parent device. */
    private static String kind(String device) throws IOException {
        Path real = Path.of("/sys/class/infiniband", device).toRealPath();
        return real.startsWith("/sys/devices/virtual") ? "software RDMA" : "RDMA hardware";
    }

    private static Map<String, String> versions() throws IOException {
        Map<String, String> versions = new HashMap<>();
        // The library is loaded by now, and the name of its file has its version: libibverbs.so.1.14.44.0.
        Matcher library = LIBRARY.matcher(Files.readString(Path.of("/proc/self/maps")));
        if (library.find()) {
            versions.put("libibverbs", library.group(1));
        }
        versions.put("perftest", Tool.firstLine("ib_send_lat", "--version").replace("Version: ", ""));
        return versions;
    }
}
