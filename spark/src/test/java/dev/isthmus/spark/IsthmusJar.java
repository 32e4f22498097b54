// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The jar that users give to {@code spark-submit}. */
final class IsthmusJar {

    private IsthmusJar() {}

    static Path find() throws IOException {
        Path target = Path.of(System.getProperty("isthmus.home"), "spark", "target");
        try (Stream<Path> files = Files.list(target)) {
            return files.filter(
                            file -> file.getFileName().toString().matches("isthmus-spark-[0-9.]+(-SNAPSHOT)?\\.jar"))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("no isthmus-spark jar in " + target + ": mvn package"));
        }
    }
}
