// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.testbed;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The driver of the device, the kernel, and rdma-core, which together decide which features there are. */
final class DeviceKind {

    private static final Pattern LIBRARY = Pattern.compile("libibverbs\\.so\\.\\d+\\.\\d+\\.(\\d+)\\.\\d+");

    /** Stands for a machine to which the testbed has given no device. */
    static final String NONE = "no-device";

    private DeviceKind() {}

    /** Such as {@code rxe-linux-6.1-rdma-core-44}, or {@link #NONE}. */
    static String ofThisMachine() {
        String device = System.getenv().getOrDefault("ISTHMUS_DEVICES", "").split(" ", 2)[0];
        if (device.isEmpty()) {
            return NONE;
        }
        if ("connectx".equals(System.getenv("ISTHMUS_TESTBED"))) { // simulated, whatever the kernel
            return "connectx-rdma-core-" + rdmaCore();
        }
        String[] linux = System.getProperty("os.version").split("[.-]", 3);
        return driver(device) + "-linux-" + linux[0] + "." + linux[1] + "-rdma-core-" + rdmaCore();
    }

    private static String driver(String device) {
        // Only rdma_rxe has this file, and its devices can have any name.
        boolean isSoftRoce = Files.exists(Path.of("/sys/class/infiniband", device, "parent"));
        return isSoftRoce ? "rxe" : device.replaceFirst("_?\\d+$", "");
    }

    // /usr/lib/x86_64-linux-gnu on Debian, /usr/lib64 elsewhere.
    private static String rdmaCore() {
        try (Stream<Path> usr = Files.list(Path.of("/usr"));
                Stream<Path> lib = Files.list(Path.of("/usr/lib"))) {
            for (Path folder :
                    Stream.concat(usr, lib).filter(Files::isDirectory).toList()) {
                try (Stream<Path> files = Files.list(folder)) {
                    for (Path file : files.toList()) {
                        Matcher library = LIBRARY.matcher(file.getFileName().toString());
                        if (library.matches()) {
                            return library.group(1);
                        }
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return "unknown";
    }
}
