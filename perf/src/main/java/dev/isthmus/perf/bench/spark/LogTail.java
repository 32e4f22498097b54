// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** Finds in a log why a program has ended. */
final class LogTail {

    private static final int LINES = 4;
    private static final Pattern RELEVANT = Pattern.compile("Exception|ERROR|WARN|Error|error:|Caused by|FATAL");
    private static final Pattern NOISE = Pattern.compile("^\\s*at |^\\s*\\.\\.\\. | INFO ");

    private LogTail() {}

    /** The last lines that matter, without stack traces. */
    static String of(Path log) throws IOException {
        List<String> lines = Files.readString(log)
                .lines()
                .filter(line -> !line.isBlank() && !NOISE.matcher(line).find())
                .toList();
        List<String> telling =
                lines.stream().filter(line -> RELEVANT.matcher(line).find()).toList();
        List<String> chosen = telling.isEmpty() ? lines : telling;
        List<String> last = chosen.subList(Math.max(0, chosen.size() - LINES), chosen.size());
        return last.isEmpty() ? "it printed nothing" : "it said:\n    " + String.join("\n    ", last);
    }
}
