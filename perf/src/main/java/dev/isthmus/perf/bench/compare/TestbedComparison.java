// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.perf.common.Progress;
import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.Testbed;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A comparison between the devices of the testbed, in which the launcher finds devices and compares again. What is
 * measured goes to a folder of this machine at once, and so outlives the testbed.
 */
record TestbedComparison(Testbed testbed, Path dir, List<String> arguments, PrintStream err, boolean isQuiet) {

    /** As long as it takes: it shows its progress, and Ctrl-C loses nothing. */
    private static final String TIMEOUT_SECONDS = "604800";

    /** Makes what the virtual machine sends to itself cross the link between its devices. */
    private static final String IN_TESTBED = """
        [ "$ISTHMUS_TESTBED" != vm ] || "$0/testbed/devices" across $(cat /run/testbed/ends)
        exec "$0/isthmus" compare "$@"
        """;

    /** The least exit status of a testbed that was ended by a signal, a time limit or a crash. */
    private static final int LEAST_UNFINISHED = 124;

    /** Runs the comparison; returns the exit status. */
    int run() throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(testbed.command());
        command.addAll(List.of("--timeout", TIMEOUT_SECONDS, "--rw", dir.toString(), "--", "sh", "-c", IN_TESTBED));
        command.add(testbed.home().toString());
        command.addAll(arguments);
        Files.createDirectories(dir);
        try (var children = new Children()) {
            Redirect tables = isQuiet ? Redirect.DISCARD : Redirect.INHERIT;
            Process process = children.start(command, Progress.passedOn(err), Redirect.INHERIT, tables);
            process.getOutputStream().close();
            return process.waitFor();
        } finally {
            removeIfEmpty();
        }
    }

    static boolean isUnfinished(int status) {
        return status >= LEAST_UNFINISHED;
    }

    /** If nothing was begun, nothing stays. */
    private void removeIfEmpty() throws IOException {
        boolean empty;
        try (Stream<Path> files = Files.list(dir)) {
            empty = files.findAny().isEmpty();
        }
        if (empty) {
            Files.delete(dir);
        }
    }
}
