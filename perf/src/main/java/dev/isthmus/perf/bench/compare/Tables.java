// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.process.Tool;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Tables of what was measured, and a CSV file: {@code docs/plots/tables} makes them, in Python, of the JSON file. */
public final class Tables {

    private static final String SCRIPT = "docs/plots/tables";

    private Tables() {}

    /**
     * Prints tables, or why there are none: the results are there in any case.
     *
     * @param arguments of the script: folders of comparisons, and options
     */
    public static void print(PrintWriter out, PrintStream err, List<String> arguments) {
        try {
            Path script = Tool.ofProject(SCRIPT)
                    .orElseThrow(() -> new IOException("there is no " + SCRIPT + " in this folder or above it"));
            List<String> command = new ArrayList<>(List.of("python3", script.toString()));
            command.addAll(arguments);
            Tool.Answer answer = Tool.ask(command.toArray(String[]::new));
            if (answer.status() != 0) {
                throw new IOException(answer.text().strip());
            }
            out.print(answer.text());
            out.flush();
        } catch (IOException e) {
            err.println("no tables: " + e.getMessage());
        }
    }
}
