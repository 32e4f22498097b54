// SPDX-License-Identifier: Apache-2.0
package dev.isthmus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.internal.Errno;
import dev.isthmus.ucx.UcsStatus;
import dev.isthmus.verbs.CompletionStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The page of errors has each status and errno that the library knows exactly once, with its number and a cause. */
@Tag("unit")
class ErrorsPageTest {

    private static final Pattern ROW = Pattern.compile("\\| `([A-Z0-9_]+)` \\|\\s*(-?[0-9]*)\\s*\\| (.*) \\|");

    /** The name and number in each row of the table below a heading. */
    private static Map<String, String> rows(String heading) throws IOException {
        String home = System.getProperty("isthmus.home");
        Path page = (home == null ? Path.of("..") : Path.of(home)).resolve("docs/errors.md");
        List<String> lines = Files.readAllLines(page);
        int from = lines.indexOf("## " + heading);
        assertTrue(from >= 0, heading);
        var rows = new TreeMap<String, String>();
        for (String line : lines.subList(from + 1, lines.size())) {
            if (line.startsWith("## ")) {
                break;
            }
            var row = ROW.matcher(line);
            if (row.matches()) {
                assertTrue(rows.put(row.group(1), row.group(2)) == null, "twice: " + line);
                assertTrue(row.group(3).length() > 3, "says nothing: " + line);
            }
        }
        return rows;
    }

    @Test
    void shouldHaveEveryStatusOfCompletions() throws IOException {
        assertEquals(
                Arrays.stream(CompletionStatus.values())
                        .collect(Collectors.toMap(Enum::name, status -> "" + status.code(), (a, b) -> a, TreeMap::new)),
                rows("Status of a completion"));
    }

    @Test
    void shouldHaveEveryErrno() throws IOException {
        assertEquals(
                IntStream.range(1, 200)
                        .filter(number -> !Errno.name(number).startsWith("errno"))
                        .boxed()
                        .collect(Collectors.toMap(Errno::name, number -> "" + number, (a, b) -> a, TreeMap::new)),
                rows("errno"));
    }

    @Test
    void shouldHaveEveryStatusOfUcx() throws IOException {
        Map<String, String> known = IntStream.rangeClosed(-128, 127)
                .filter(number -> UcsStatus.of(number) != UcsStatus.UNKNOWN)
                .boxed()
                .collect(Collectors.toMap(
                        number -> UcsStatus.of(number).name(), number -> "" + number, (a, b) -> a, TreeMap::new));
        known.put("UNKNOWN", "");
        assertEquals(known, rows("Status of UCX"));
    }
}
