// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The script that gives a command RDMA devices.
 *
 * @param home the project's folder
 */
public record Testbed(Path home) {

    private static final String SCRIPT = "testbed/testbed";

    /** Looks in the project's folder, otherwise in the current one and those above it. */
    public static Optional<Testbed> find() {
        return Tool.ofProject(SCRIPT)
                .map(script -> new Testbed(script.getParent().getParent()));
    }

    /** Like {@link #find}, where one is needed. */
    public static Testbed required() throws IOException {
        return find().orElseThrow(
                        () -> new IOException("there is no testbed/testbed in this folder or above it: run ./isthmus"));
    }

    /** Whether this machine has devices of its own. */
    public static boolean hasDevices() throws IOException {
        Path devices = Path.of("/sys/class/infiniband");
        if (!Files.isDirectory(devices)) {
            return false;
        }
        try (Stream<Path> all = Files.list(devices)) {
            return all.findAny().isPresent();
        }
    }

    /**
     * The script itself.
     *
     * @return the script; its options come before {@code --}, and a command after it
     */
    public Path script() {
        return home.resolve(SCRIPT);
    }

    /** The script, run by the launcher, which installs what it needs. */
    public List<String> command() {
        return List.of(home.resolve("isthmus").toString(), "testbed");
    }
}
