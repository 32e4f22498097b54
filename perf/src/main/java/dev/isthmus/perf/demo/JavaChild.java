// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.demo;

import dev.isthmus.perf.Main;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A second JVM with the same class path, that does what it is told a line at a time, and ends when its input does:
 * so also when we are killed.
 */
public final class JavaChild implements AutoCloseable {

    /**
     * What every JVM that is measured runs with. The serial collector has no threads of its own, and on two cores each of
     * them would take turns with a thread that is measured. UseSystemMemoryBarrier lets a call into C return without a
     * memory barrier: the JVM asks the kernel for one in the rare case that it needs it.
     */
    static final List<String> OPTIONS = List.of(
            "--enable-native-access=ALL-UNNAMED",
            "-XX:+UseSerialGC",
            "-XX:+UnlockExperimentalVMOptions", // the next one was experimental in earlier JDKs
            "-XX:+UseSystemMemoryBarrier",
            "-XX:-UsePerfData",
            "-Xmx256m");

    /** What the lines begin with in which a JVM that crashes says so on its standard output, too. */
    private static final String CRASH_MARK = "#";

    /** A JVM that crashes writes its report first. */
    private static final long CRASH_SECONDS = 10;

    private final Process process;
    private final Optional<Path> crashReports;
    private final Writer commands;
    private final BufferedReader answers;

    /**
     * Starts one.
     *
     * @param children which it ends with
     * @param environment what is added to ours
     * @param arguments a command of ours, and its arguments
     * @throws IOException if it cannot be started
     */
    public JavaChild(Children children, Map<String, String> environment, String... arguments) throws IOException {
        this(children, Placement.SERVER, environment, arguments);
    }

    /**
     * Starts one in its place.
     *
     * @param children which it ends with
     * @param place which end it is
     * @param environment what is added to ours
     * @param arguments a command of ours, and its arguments
     * @throws IOException if it cannot be started
     */
    public JavaChild(Children children, Placement place, Map<String, String> environment, String... arguments)
            throws IOException {
        crashReports = children.crashReports();
        process = children.start(place.of(command(crashReports, arguments)), environment);
        commands = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
        answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /**
     * What every JVM that is measured runs with.
     *
     * @return the options
     */
    public static List<String> options() {
        return OPTIONS;
    }

    /**
     * The command that runs a command of ours in a JVM like this one.
     *
     * @param crashReports where it reports to when it crashes; standard error otherwise
     */
    static List<String> command(Optional<Path> crashReports, String... arguments) {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(OPTIONS);
        command.add(crashReports
                .map(dir -> "-XX:ErrorFile=" + dir.resolve(crashReport("%p")))
                .orElse("-XX:+ErrorFileToStderr"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    private static String crashReport(String pid) {
        return "hs_err_pid" + pid + ".log"; // as a JVM calls it that is not told
    }

    /**
     * The process itself.
     *
     * @return it
     */
    public Process process() {
        return process;
    }

    /**
     * Writes to its input.
     *
     * @param line without its end
     * @throws IOException if it has ended
     */
    public void tell(String line) throws IOException {
        commands.write(line + "\n");
        commands.flush();
    }

    /**
     * Waits for its next line.
     *
     * @return the line, without its end
     * @throws IOException if it has ended
     * @throws InterruptedException if the caller is to stop
     */
    public String answer() throws IOException, InterruptedException {
        String line = answers.readLine();
        while (line != null && line.startsWith(CRASH_MARK)) {
            line = answers.readLine();
        }
        if (line == null) {
            var end = new IOException("the second JVM has ended; what it said stands above");
            checkCrash(end);
            throw end;
        }
        return line;
    }

    /** Throws if this JVM has crashed, which is then the cause of what went wrong here. */
    void checkCrash(Exception consequence) throws CrashException, InterruptedException {
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
