// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.process;

import java.util.ArrayList;
import java.util.List;

/**
 * The processor that a process runs on. The scheduler chooses it, except in a testbed that pins JVMs to one (see
 * testbed/README.md): there each end has its own, in Java and in C.
 */
public enum Placement {
    /** The client's end. */
    CLIENT("0"),
    /** The server's end, which starts first. */
    SERVER("1");

    private static final String WANTED = "ISTHMUS_ONE_CPU_JVM";

    private final String processor;

    Placement(String processor) {
        this.processor = processor;
    }

    /**
     * The command that runs a command on its processor. Call this where it will run.
     *
     * @return the same, perhaps with a program in front
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
}
