// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.testbed;

import java.util.ArrayList;
import java.util.List;

/**
 * Where the process runs that a test starts: on another processor than the test's JVM, if the testbed keeps that on one
 * (its README says why), or the two would take turns. Else wherever the scheduler says.
 */
public final class OtherProcessor {

    private static final String WANTED = "ISTHMUS_ONE_CPU_JVM";

    private OtherProcessor() {}

    /**
     * Places a command.
     *
     * @param command a program and its arguments
     * @return the command that runs it there
     */
    public static List<String> of(List<String> command) {
        String wanted = System.getenv(WANTED);
        if (wanted == null || wanted.isEmpty()) {
            return command;
        }
        List<String> placed = new ArrayList<>(List.of("taskset", "-c", "1"));
        placed.addAll(command);
        return placed;
    }
}
