// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The map of the package in its package-info. */
@Tag("unit")
class PackageMapTest {

    // What belongs to another class, whose name leads to it.
    private static final Pattern BELONGS =
            Pattern.compile("package-info|Ucp.*(Config|Attributes|Advice|Type|Mode|Event)");

    @Test
    void shouldNameEachClass() throws IOException {
        String home = System.getProperty("isthmus.home");
        Path sources = (home == null ? Path.of("..") : Path.of(home)).resolve("api/src/main/java/dev/isthmus/ucx");
        String map = Files.readString(sources.resolve("package-info.java"));
        try (var files = Files.list(sources)) {
            List<String> missing = files.map(
                            file -> file.getFileName().toString().replace(".java", ""))
                    .filter(name -> !BELONGS.matcher(name).matches())
                    .filter(name ->
                            !Pattern.compile("\\b" + name + "\\b").matcher(map).find())
                    .sorted()
                    .toList();
            assertEquals(List.of(), missing, "add these to the map in package-info.java");
        }
    }
}
