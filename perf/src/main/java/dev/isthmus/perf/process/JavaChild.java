// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.process;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** How to start a second JVM with the same class path. */
public final class JavaChild {

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

    private JavaChild() {}

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

    /** The name of a crashed JVM's report. */
    public static String crashReport(String pid) {
        return "hs_err_pid" + pid + ".log"; // the JVM's default name
    }
}
