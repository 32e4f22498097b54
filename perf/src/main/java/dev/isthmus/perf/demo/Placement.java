// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.demo;

import java.util.ArrayList;
import java.util.List;

/**
 * Which processor a process runs on. That is the scheduler's to say, except in a testbed that wants a JVM to keep to one
 * (see testbed/README.md): then each end has its own, Java's and C's alike.
 */
public enum Placement {
    /** The end that asks. */
    CLIENT("0"),
    /** The end that is there first. */
    SERVER("1");

    private static final String WANTED = "ISTHMUS_ONE_CPU_JVM";

    private final String processor;

    Placement(String processor) {
        this.processor = processor;
    }

    /**
     * The command that runs a command in its place; asked where it is to run.
     *
     * @param command the program and its arguments
     * @return the same, perhaps with a program before it
     */
    public List<String> of(List<String> command) {
        String wanted = System.getenv(WANTED);
        if (wanted == null || wanted.isEmpty()) {
            return command;
        }
        List<String> placed = new ArrayList<>(List.of("taskset", "-c", processor));
        placed.addAll(command);
        return placed;
    }

    /** The same for a command that another machine is told to run. */
    List<String> elsewhere(List<String> command) {
        List<String> placed = new ArrayList<>(
                List.of("sh", "-c", "exec ${" + WANTED + ":+taskset -c " + processor + "} \"$@\"", "sh"));
        placed.addAll(command);
        return placed;
    }
}
