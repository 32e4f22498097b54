// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * A folder that exists as long as a command runs. When a signal ends the JVM, it waits until the command has removed
 * the folder.
 */
public final class Scratch implements AutoCloseable {

    private final Path folder;
    private final Stopping stopping = new Stopping();
    private boolean kept;

    /** Creates a folder whose name begins with a prefix. */
    public Scratch(String prefix) throws IOException {
        folder = Files.createTempDirectory(prefix);
    }

    /** The folder. */
    public Path folder() {
        return folder;
    }

    /** Keeps the folder for the user to read, unless a signal ends the command. */
    public void keep() {
        kept = true;
    }

    @Override
    public void close() throws IOException {
        try (stopping) {
            if (!kept || Stopping.hasBegun()) {
                remove(folder);
            }
        }
    }

    /** Removes a folder with all of its contents. */
    public static void remove(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
