// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import dev.isthmus.perf.process.Tool;
import dev.isthmus.perf.tools.PerftestException;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;

/** Which processors this process runs on. */
final class Affinity {

    private Affinity() {}

    /** Pins all present and future threads of this process to these processors; does nothing if there are none. */
    static void set(List<Integer> cpus) throws IOException {
        if (cpus.isEmpty()) {
            return;
        }
        String list = cpus.stream().map(String::valueOf).collect(Collectors.joining(","));
        String pid = "" + ProcessHandle.current().pid();
        Tool.Answer taskset = Tool.ask("taskset", "-a", "-c", "-p", list, pid);
        if (taskset.status() != 0) {
            throw new PerftestException("cannot run on the processors " + list + " (-c): "
                    + taskset.text().strip());
        }
    }
}
