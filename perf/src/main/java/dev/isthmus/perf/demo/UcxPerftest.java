// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.demo;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** How {@code ucx_perftest} is started. */
public final class UcxPerftest {

    private static final String PROGRAM = "ucx_perftest";

    private UcxPerftest() {}

    /**
     * The first words of the command. Built with MPI, as Debian 13's is, the tool would want to be started by MPI where
     * there is no terminal.
     *
     * @return words to add to
     * @throws IOException if it cannot be started
     * @throws InterruptedException if the thread is interrupted meanwhile
     */
    public static List<String> words() throws IOException, InterruptedException {
        Process help =
                new ProcessBuilder(PROGRAM, "-h").redirectErrorStream(true).start();
        String text = new String(help.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        help.waitFor();
        return new ArrayList<>(text.contains("-P <0|1>") ? List.of(PROGRAM, "-P", "0") : List.of(PROGRAM));
    }
}
