// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.testbed;

import java.util.ArrayList;
import java.util.List;

/**
 * The processor for a process that a test starts: another one than the test JVM's, if the testbed pins that to one (its
 * README says why), because the two would take turns. Otherwise the scheduler decides.
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
