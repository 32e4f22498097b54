// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.process;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Finds the script that gives a command RDMA devices. */
public final class Testbed {

    /** The launcher says where the project is. */
    private static final String HOME_PROPERTY = "isthmus.home";

    private static final Path SCRIPT = Path.of("testbed", "testbed");

    private Testbed() {}

    /**
     * Looks in the project's folder, otherwise in the current one and those above it.
     *
     * @return the script, if it is there
     */
    public static Optional<Path> find() {
        String home = System.getProperty(HOME_PROPERTY, "");
        for (Path folder = Path.of(home).toAbsolutePath(); folder != null; folder = folder.getParent()) {
            Path script = folder.resolve(SCRIPT);
            if (Files.isExecutable(script)) {
                return Optional.of(script);
            }
        }
        return Optional.empty();
    }
}
