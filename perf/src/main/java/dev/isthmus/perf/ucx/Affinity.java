// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.ucx;

import dev.isthmus.perf.perftest.PerftestException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

/** Which processors this process runs on. */
final class Affinity {

    private Affinity() {}

    /** Keeps all threads of this process, and those to come, to some processors; none for no change. */
    static void set(List<Integer> cpus) throws IOException {
        if (cpus.isEmpty()) {
            return;
        }
        String list = cpus.stream().map(String::valueOf).collect(Collectors.joining(","));
        try {
            Process taskset = new ProcessBuilder(
                            "taskset",
                            "-a",
                            "-c",
                            "-p",
                            list,
                            "" + ProcessHandle.current().pid())
                    .redirectErrorStream(true)
                    .start();
            String said = new String(taskset.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (taskset.waitFor() != 0) {
                throw new PerftestException("cannot run on the processors " + list + " (-c): " + said.strip());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PerftestException("interrupted", e);
        }
    }
}
