// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * A folder that ends with this, and all that is in it.
 *
 * @param path where it is
 */
public record TemporaryFolder(Path path) implements AutoCloseable {

    /** Makes one whose name begins with a prefix. */
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
