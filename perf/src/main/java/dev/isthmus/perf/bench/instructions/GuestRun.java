// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import dev.isthmus.perf.common.Progress;
import dev.isthmus.perf.common.Side;
import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.JavaChild;
import dev.isthmus.perf.process.Testbed;
import dev.isthmus.perf.process.Tool;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Runs of the testbed, whose clock counts instructions. They end with this process. */
public final class GuestRun {

    /** Begins a line with a fact that does not change from run to run: {@code "fact WORD..."}. */
    static final String FACT = "fact";

    /** Begins the line before a program's lines: {@code "begin SUITE SIDE"}. */
    static final String BEGIN = "begin";

    /** The program waits while C2 compiles: docs/instructions.md, "How it counts". */
    private static final List<String> JVM_OPTIONS =
            List.of("-Xbatch", "-XX:+UseSerialGC", "-XX:-UsePerfData", "--enable-native-access=ALL-UNNAMED");

    private GuestRun() {}

    /** Compiles the C programs and runs all; blocks until the testbed has ended. */
    static void run(Map<Suite, List<Row>> rows, int seconds, GuestOutput output, Progress progress)
            throws IOException, InterruptedException {
        Testbed testbed = Testbed.required();
        try (var programs = new CPrograms();
                var children = new Children()) {
            var script = new StringBuilder("set -e\n")
                    .append(fact("$(uname -sr)"))
                    // The version is in the name of the file that the link points to.
                    .append(fact("$(basename \"$(readlink -f /usr/lib/*/libibverbs.so.1)\")"))
                    .append(fact("UCX $(ucx_info -v | sed -n '1s/.*[Vv]ersion:* //p')"));
            for (var suite : rows.entrySet()) {
                progress.update("compiles " + suite.getKey().twin() + ".c");
                Path program = programs.compile(suite.getKey());
                for (Side side : suite.getKey().sides()) {
                    script.append(commands(testbed, suite.getKey(), side, program, suite.getValue()));
                }
            }
            if (rows.keySet().stream().anyMatch(Suite::isOnCard)) {
                progress.update("compiles the simulated ConnectX");
                buildCard(testbed);
            }
            progress.update("the testbed boots");
            int status = run(children, seconds, script.toString(), line -> progress.update(output.take(line)));
            if (status != 0) {
                throw new IOException("the testbed ended with exit status " + status + "; its output is above");
            }
            output.checkComplete();
        }
    }

    /** Runs a script where the clock counts instructions; returns the exit status. */
    public static int run(Children children, int seconds, String script, Children.Listener to)
            throws IOException, InterruptedException {
        List<String> command = Tool.words("--where=vm --icount --quiet --timeout=" + seconds + " -- sh -c");
        command.addFirst(Testbed.required().script().toString());
        command.add(script);
        return Children.listen(children.start(command, Map.of()), to);
    }

    /** Here, where that takes seconds: the guest finds it in the cache. */
    static void buildCard(Testbed testbed) throws IOException, InterruptedException {
        int status = Tool.run(List.of(testbed.script().toString(), "--quiet", "--device=connectx", "--", "true"));
        if (status != 0) {
            throw new IOException("there is no simulated ConnectX: why stands above");
        }
    }

    private static String fact(String words) {
        return "echo \"" + FACT + " " + words + "\"\n";
    }

    /** What the testbed's shell does to run a side's program, announced by a line. */
    static String commands(Testbed testbed, Suite suite, Side side, Path inC, List<Row> rows) {
        String program = side == Side.C
                ? Tool.quoted(inC.toString())
                : suite.settings(side) + quoted(java(suite.program(), suite.options()));
        String specs = rows.stream().map(Row::spec).collect(Collectors.joining(" "));
        String place =
                suite.place().isEmpty() ? "" : Tool.quoted(testbed.script().toString()) + " " + suite.place() + " -- ";
        return String.join(" ", "echo", BEGIN, suite.name(), side.name()) + "\n" + place
                + String.join(" ", program, suite.arguments(side), specs) + "\n";
    }

    /** The command that runs a program of our class path in a JVM that counts. */
    public static List<String> java(Class<?> program, List<String> options) {
        List<String> words = new ArrayList<>(List.of(JavaChild.java()));
        words.addAll(JVM_OPTIONS);
        words.addAll(options);
        words.add("-cp");
        words.add(Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator)));
        words.add(program.getName());
        return words;
    }

    /** A command for the shell. */
    public static String quoted(List<String> words) {
        return words.stream().map(Tool::quoted).collect(Collectors.joining(" "));
    }
}
