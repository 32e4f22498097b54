// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The tests of rdma-core's pyverbs and their counterparts here: {@code docs/coverage/pyverbs.d} has a line for one or
 * more of their tests, with our tests of the same behaviour or a dash, and a remark, which gives the reason for a dash.
 */
@Tag("unit")
class PyverbsCoverageTest {

    private static final Path NOTES =
            Path.of(System.getProperty("isthmus.home")).resolve("docs/coverage/pyverbs.d");

    private static final Path FOLDER = folder();

    private static final int KNOWN = 160;

    @Test
    void shouldNameTestsThatAreThere() throws IOException {
        var faults = new ArrayList<String>();
        int count = 0;
        List<Path> files;
        try (Stream<Path> all = Files.list(NOTES)) {
            files = all.toList();
        }
        for (Path file : files) {
            for (String line : Files.readAllLines(file)) {
                String[] parts =
                        Arrays.stream(line.split("\\|", -1)).map(String::strip).toArray(String[]::new);
                if (parts.length != 3
                        || !parts[0].startsWith("test_")
                        || (parts[1].equals("-") && parts[2].isEmpty())) {
                    faults.add(line);
                } else if (!parts[1].equals("-")) {
                    Stream.of(parts[1].split(", ", -1))
                            .filter(name -> !isThere(name))
                            .forEach(faults::add);
                }
                count += parts[0].split(", ", -1).length;
            }
        }
        assertEquals(List.of(), faults);
        assertTrue(count >= KNOWN, count + " notes");
    }

    /** A test's class, or class and method, in this package or one under it. */
    private static boolean isThere(String name) {
        int dot = name.indexOf('.');
        String file = (dot < 0 ? name : name.substring(0, dot)) + ".class";
        try (Stream<Path> classes = Files.walk(FOLDER)) {
            return classes.filter(each -> each.endsWith(file))
                    .map(PyverbsCoverageTest::load)
                    .anyMatch(test -> dot < 0
                            || Stream.of(test.getDeclaredMethods())
                                    .anyMatch(method -> method.getName().equals(name.substring(dot + 1))));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Class<?> load(Path file) {
        String within = FOLDER.relativize(file).toString().replace(".class", "").replace('/', '.');
        try {
            return Class.forName(PyverbsCoverageTest.class.getPackageName() + "." + within);
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    private static Path folder() {
        try {
            return Path.of(PyverbsCoverageTest.class.getResource(".").toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }
}
