// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import dev.isthmus.perf.common.Side;
import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The script for the testbed's shell: runs the suites' programs in turn, each announced by a line. */
final class GuestScript {

    /** Begins a line with a fact that does not change from run to run: {@code "fact WORD..."}. */
    static final String FACT = "fact";

    /** Begins the line before a program's lines: {@code "begin SUITE SIDE"}. */
    static final String BEGIN = "begin";

    /** The program waits while C2 compiles: docs/instructions.md, "How it counts". */
    private static final List<String> JVM_OPTIONS =
            List.of("-Xbatch", "-XX:+UseSerialGC", "-XX:-UsePerfData", "--enable-native-access=ALL-UNNAMED");

    private final StringBuilder text = new StringBuilder("set -e\n");

    GuestScript() {
        fact("$(uname -sr)");
        // The version is in the name of the file that the link points to.
        fact("$(basename \"$(readlink -f /usr/lib/*/libibverbs.so.1)\")");
        fact("UCX $(ucx_info -v | sed -n '1s/.*[Vv]ersion:* //p')");
    }

    private void fact(String words) {
        text.append("echo \"" + FACT + " ").append(words).append("\"\n");
    }

    /** Runs a side's program. */
    void add(Suite suite, Side side, Path twin, List<? extends Row> rows) {
        text.append(suite.preparation());
        text.append(String.join(" ", "echo", BEGIN, suite.name(), side.name())).append('\n');
        String program = side == Side.C
                ? quoted(twin.toString())
                : suite.settings(side) + java().map(GuestScript::quoted).collect(Collectors.joining(" ")) + " "
                        + suite.program(side).getName();
        String specs = rows.stream().map(Row::spec).collect(Collectors.joining(" "));
        text.append(String.join(" ", program, suite.place(side), specs)).append('\n');
    }

    private static Stream<String> java() {
        String program = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
        return Stream.of(Stream.of(program), JVM_OPTIONS.stream(), Stream.of("-cp", classPath))
                .flatMap(words -> words);
    }

    private static String quoted(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }

    /** The script. */
    @Override
    public String toString() {
        return text.toString();
    }
}
