// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.common;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * A folder that is removed with all of its contents when this is closed.
 *
 * @param path the folder
 */
public record TemporaryFolder(Path path) implements AutoCloseable {

    /** Creates a folder whose name begins with a prefix. */
    public TemporaryFolder(String prefix) throws IOException {
        this(Files.createTempDirectory(prefix));
    }

    @Override
    public void close() throws IOException {
        try (Stream<Path> files = Files.walk(path)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
