// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import jdk.jshell.JShell;
import jdk.jshell.Snippet;
import jdk.jshell.SnippetEvent;
import jdk.jshell.SourceCodeAnalysis;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Types what docs/jshell.md shows into the engine of jshell, after the launcher's start-up file. */
@Tag("device")
@Tag("extended")
@Timeout(TestDeadlines.LONGEST_TEST_SECONDS) // a compiler on emulated processors
class JshellPageTest {

    private static final String PROMPT = "jshell> ";
    private static final String VALUE = "==> ";

    /** Numbers and text in brackets differ between devices. */
    private static final Pattern VARIABLE = Pattern.compile("\\(.*\\)|\\[.*\\]|^\\w+ \\{.*");

    private record Line(String typed, String answer) {}

    private static List<Line> lines() throws IOException {
        var lines = new ArrayList<Line>();
        for (String line :
                Documents.blocks("docs/jshell.md", "jshell").getFirst().lines().toList()) {
            if (line.startsWith(PROMPT)) {
                lines.add(new Line(line.substring(PROMPT.length()), ""));
            } else if (line.startsWith(VALUE)) {
                lines.add(new Line(lines.removeLast().typed(), line.substring(VALUE.length())));
            }
        }
        return lines;
    }

    /** The value of the last snippet of a line, as jshell shows it. */
    private static String type(JShell shell, String line) {
        String value = "";
        for (String rest = line; !rest.isBlank(); ) {
            SourceCodeAnalysis.CompletionInfo statement =
                    shell.sourceCodeAnalysis().analyzeCompletion(rest);
            for (SnippetEvent event : shell.eval(statement.source())) {
                List<String> faults = shell.diagnostics(event.snippet())
                        .map(fault -> fault.getMessage(null))
                        .toList();
                assertEquals(Snippet.Status.VALID, event.status(), () -> line + ": " + faults);
                assertEquals(null, event.exception(), line);
                value = event.value() == null ? "" : event.value();
            }
            rest = statement.remaining();
        }
        return value;
    }

    @Test
    void shouldAnswerAsThePageSays() throws IOException {
        List<Line> lines = lines();
        assertEquals(12, lines.size());
        try (var shell = JShell.builder().executionEngine("local").build()) {
            for (String entry : System.getProperty("java.class.path").split(java.io.File.pathSeparator, -1)) {
                shell.addToClasspath(entry);
            }
            Documents.text("samples/src/main/jshell/isthmus.jsh").lines().forEach(line -> type(shell, line));
            for (Line line : lines) {
                String answer = type(shell, line.typed());
                if (line.answer().equals("GidEntry")) {
                    assertTrue(answer.startsWith("GidEntry["), answer);
                } else {
                    assertEquals(fixed(line.answer()), fixed(answer), line.typed());
                }
            }
        }
    }

    private static String fixed(String answer) {
        return VARIABLE.matcher(answer).replaceAll("()");
    }
}
