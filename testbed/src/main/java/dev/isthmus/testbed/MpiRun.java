// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.testbed;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a program of MPI by {@code mpiexec}, of the tier {@link TierRunner#MPI}, whose environment says where one is. */
public final class MpiRun {

    /** How it ended, and what its ranks printed. */
    public record Result(int status, String output) {}

    /** Options of {@code mpiexec}, MPICH's own: ranks talk by TCP on this machine, as if each were on another one. */
    public static final List<String> OVER_TCP = List.of(
            "-genv",
            "MPIR_CVAR_NOLOCAL",
            "1",
            "-genv",
            "MPIR_CVAR_CH4_NETMOD",
            "ofi",
            "-genv",
            "FI_PROVIDER",
            "tcp",
            "-genv",
            "FI_TCP_IFACE",
            "lo");

    private static final Duration DEADLINE = TestDeadlines.ofSeconds(240);

    private MpiRun() {}

    /**
     * The command of a rank in Java, on the class path of this JVM.
     *
     * @param main the class
     * @param arguments its arguments
     */
    public static List<String> java(Class<?> main, String... arguments) {
        List<String> command = javaWith();
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    /**
     * The command of a rank in Java, whose class is in a folder.
     *
     * @param classes the folder
     * @param main the class
     */
    public static List<String> java(Path classes, String main) {
        List<String> command = javaWith();
        String path = classes + File.pathSeparator + System.getProperty("java.class.path");
        command.addAll(List.of("-cp", path, main));
        return command;
    }

    /**
     * The command without a class path and class.
     *
     * @param options of the JVM, too
     */
    public static List<String> javaWith(String... options) {
        var command = new ArrayList<>(List.of(
                System.getProperty("java.home") + "/bin/java",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx512m",
                "-ea",
                "--enable-native-access=ALL-UNNAMED",
                TestDeadlines.option()));
        command.addAll(List.of(options));
        return command;
    }

    /**
     * Runs a program on some ranks.
     *
     * @param ranks how many
     * @param command the program of each
     */
    public static Result run(int ranks, List<String> command) throws IOException, InterruptedException {
        var all = new ArrayList<>(List.of("mpiexec", "-n", String.valueOf(ranks)));
        all.addAll(command);
        return run(all);
    }

    /**
     * Runs a program on some ranks that talk by TCP.
     *
     * @param ranks how many
     * @param command the program of each
     */
    public static Result runOverTcp(int ranks, List<String> command) throws IOException, InterruptedException {
        var all = new ArrayList<>(List.of("mpiexec"));
        all.addAll(OVER_TCP);
        all.addAll(List.of("-n", String.valueOf(ranks)));
        all.addAll(command);
        return run(all);
    }

    /**
     * Runs different programs, one rank each.
     *
     * @param commands the program of rank 0, that of rank 1, ...
     */
    public static Result runEach(List<List<String>> commands) throws IOException, InterruptedException {
        var all = new ArrayList<>(List.of("mpiexec"));
        for (List<String> command : commands) {
            if (all.size() > 1) {
                all.add(":");
            }
            all.addAll(List.of("-n", "1"));
            all.addAll(command);
        }
        return run(all);
    }

    private static Result run(List<String> command) throws IOException, InterruptedException {
        Path output = Files.createTempFile("isthmus-mpi", ".txt");
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                    .redirectOutput(output.toFile())
                    .start();
            boolean ended = process.waitFor(DEADLINE.toMillis(), TimeUnit.MILLISECONDS);
            if (!ended) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly().waitFor();
            }
            String said = Files.readString(output, StandardCharsets.UTF_8);
            if (!ended) {
                throw new AssertionError(command + " did not end in " + DEADLINE + "; its ranks said:\n" + said);
            }
            return new Result(process.exitValue(), said);
        } finally {
            Files.delete(output);
        }
    }
}
