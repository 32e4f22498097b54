// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A second JVM with the same class path. It obeys commands line by line, and ends when its input ends, so also if this
 * process is killed.
 */
public final class JavaChild implements AutoCloseable {

    /**
     * The options of every measured JVM. The serial collector has no threads of its own; on two cores, such threads
     * would take turns with a measured thread. With UseSystemMemoryBarrier, a call into C returns without a memory
     * barrier: in the rare case that the JVM needs one, it asks the kernel.
     */
    private static final List<String> OPTIONS = List.of(
            "--enable-native-access=ALL-UNNAMED",
            "-XX:+UseSerialGC",
            "-XX:+UnlockExperimentalVMOptions", // the next one was experimental in earlier JDKs
            "-XX:+UseSystemMemoryBarrier",
            "-XX:-UsePerfData",
            "-Xmx256m");

    /** The beginning of the lines in which a crashing JVM also reports on its standard output. */
    private static final String CRASH_MARK = "#";

    /** A JVM that crashes writes its report first. */
    private static final long CRASH_SECONDS = 10;

    private final Process process;
    private final Optional<Path> crashReports;
    private final Writer commands;
    private final BufferedReader answers;

    /** Starts it on its processor. */
    public JavaChild(
            Children children, Placement place, Map<String, String> environment, Class<?> program, String... arguments)
            throws IOException {
        crashReports = children.crashReports();
        process = children.start(place.of(command(crashReports, program, arguments)), environment);
        commands = process.outputWriter(StandardCharsets.UTF_8);
        answers = process.inputReader(StandardCharsets.UTF_8);
    }

    /** The launcher of this JVM. */
    public static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /** The options of every measured JVM. */
    public static List<String> options() {
        return OPTIONS;
    }

    /**
     * The command that runs a program of our class path in a JVM like this one.
     *
     * @param crashReports the folder for its report if it crashes; standard error otherwise
     */
    public static List<String> command(Optional<Path> crashReports, Class<?> program, String... arguments) {
        var command = new ArrayList<String>();
        command.add(java());
        command.addAll(OPTIONS);
        command.add(crashReports
                .map(dir -> "-XX:ErrorFile=" + dir.resolve(crashReport("%p")))
                .orElse("-XX:+ErrorFileToStderr"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    private static String crashReport(String pid) {
        return "hs_err_pid" + pid + ".log"; // the JVM's default name
    }

    /** The process itself. */
    public Process process() {
        return process;
    }

    /** Sends it a line. */
    public void tell(String line) throws IOException, InterruptedException {
        try {
            commands.write(line + "\n");
            commands.flush();
        } catch (IOException e) {
            checkCrash(e); // a crash says more than a broken pipe
            throw e;
        }
    }

    /** Waits for its next line. */
    public String answer() throws IOException, InterruptedException {
        String line = answers.readLine();
        while (line != null && line.startsWith(CRASH_MARK)) {
            line = answers.readLine();
        }
        if (line == null) {
            var end = new IOException("the second JVM has ended; its output is above");
            checkCrash(end);
            throw end;
        }
        return line;
    }

    /** Throws if this JVM has crashed, which is then the cause of what went wrong here. */
    private void checkCrash(Exception consequence) throws CrashException, InterruptedException {
        if (process.waitFor(CRASH_SECONDS, TimeUnit.SECONDS)
                && CrashException.signal(process.exitValue()).isPresent()) {
            String report = crashReports
                    .map(dir -> "; " + dir.resolve(crashReport("" + process.pid())) + " says where")
                    .orElse("");
            throw new CrashException("the second JVM", process.exitValue(), report, consequence);
        }
    }

    /** Ends its input, and so the process. */
    @Override
    public void close() {
        try (commands) {
            process.destroy();
        } catch (IOException e) {
            // It has ended already.
        }
    }
}
