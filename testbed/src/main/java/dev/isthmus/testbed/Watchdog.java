// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.testbed;

import java.io.PrintStream;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/**
 * Ends the JVM and its children when a test does not end. JUnit interrupts such a test, but a thread that is in C, or
 * waits for a future, does not notice that. Tests run one after the other.
 */
final class Watchdog implements TestExecutionListener {

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().factory());
    private final PrintStream out;
    private final long seconds;
    private ScheduledFuture<?> end;

    Watchdog(PrintStream out, long seconds) {
        this.out = out;
        this.seconds = seconds;
    }

    @Override
    public synchronized void executionStarted(TestIdentifier test) {
        if (test.isTest()) {
            String name = TestReport.className(test) + "." + test.getDisplayName();
            end = timer.schedule(() -> giveUp(name), seconds, TimeUnit.SECONDS);
        }
    }

    @Override
    public synchronized void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (test.isTest()) {
            end.cancel(false);
        }
    }

    @SuppressWarnings("SystemExitOutsideMain") // halt(): hooks of an exit might wait for what hangs
    private void giveUp(String name) {
        out.println("FAILED " + name + ": it has not ended after " + seconds
                + " s; the other tests do not run. Its threads:");
        Thread.getAllStackTraces().forEach((thread, frames) -> {
            out.println("  " + thread.getName() + ", " + thread.getState());
            for (StackTraceElement frame : frames) {
                out.println("    at " + frame);
            }
        });
        out.flush();
        ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
        Runtime.getRuntime().halt(1);
    }
}
