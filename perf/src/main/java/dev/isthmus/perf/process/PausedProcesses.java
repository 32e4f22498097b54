// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.ArrayList;
import java.util.List;

/** Processes that SIGSTOP holds until this is closed. Thread-safe. */
public final class PausedProcesses implements AutoCloseable {

    private final List<String> pids;
    private boolean going;

    /** Stops the processes, which may be none. */
    public PausedProcesses(List<Process> processes) throws IOException, InterruptedException {
        pids = processes.stream().map(process -> "" + process.pid()).toList();
        going = pids.isEmpty();
        if (!going) {
            signal("STOP");
        }
    }

    @Override
    public void close() {
        release();
    }

    /** Lets all of them continue at once. */
    public synchronized void release() {
        if (going) {
            return;
        }
        going = true;
        try {
            signal("CONT");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the signals are sent anyway
        }
    }

    /** A process that has ended is no longer there, which is no failure. */
    private void signal(String name) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("sh", "-c", "kill -s " + name + " \"$@\"", "sh"));
        command.addAll(pids);
        new ProcessBuilder(command)
                .redirectOutput(Redirect.DISCARD)
                .redirectError(Redirect.DISCARD)
                .start()
                .waitFor();
    }
}
