// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.testbed;

import java.io.PrintStream;
import java.util.Locale;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Prints each class as it ends and whatever failed, and writes what became of each test to a file. A line is written when a
 * test begins and another when it ends, so that after the death of this JVM it is known which test was running:
 *
 * <pre>
 * began  ID
 * ended  passed|failed|refused|skipped  ID  CLASS.METHOD  PARAMETERS  MESSAGE
 * </pre>
 *
 * <p>The fields are separated by tabs. {@code testbed/runner/junit.py} reads the file.
 */
final class TestReport implements TestExecutionListener {

    private final PrintStream out;
    private final PrintStream file;
    private TestPlan plan;
    private long classBegan;
    private int passed;
    private int failed;
    private int skipped;
    private int refused;

    /**
     * Makes a report.
     *
     * @param out where a reader looks
     * @param file where the runner looks, which is flushed after each line
     */
    TestReport(PrintStream out, PrintStream file) {
        this.out = out;
        this.file = file;
    }

    /** Whether a test passed or was refused by the device, and nothing failed or was skipped. */
    synchronized boolean isGood() {
        return failed == 0 && skipped == 0 && passed + refused > 0;
    }

    /** The numbers in the words of JUnit. */
    synchronized String summary() {
        return passed + " passed, " + failed + " failed, " + skipped + " skipped";
    }

    @Override
    public void testPlanExecutionStarted(TestPlan testPlan) {
        plan = testPlan;
    }

    @Override
    public synchronized void executionStarted(TestIdentifier test) {
        if (isClass(test)) {
            classBegan = System.nanoTime();
        }
        if (test.isTest()) {
            write("began", test.getUniqueId());
        }
    }

    @Override
    public synchronized void executionSkipped(TestIdentifier test, String reason) {
        skipped++;
        end(test, "skipped", reason);
        out.println("SKIPPED " + name(test) + ": " + reason);
    }

    @Override
    public synchronized void executionFinished(TestIdentifier test, TestExecutionResult result) {
        Throwable thrown = result.getThrowable().orElse(null);
        if (test.isTest() && isRefusal(thrown)) {
            refused++;
            end(test, "refused", thrown.getMessage());
        } else if (result.getStatus() != Status.SUCCESSFUL) {
            boolean isSkip = result.getStatus() == Status.ABORTED;
            skipped += isSkip ? 1 : 0;
            failed += isSkip ? 0 : 1;
            end(test, isSkip ? "skipped" : "failed", String.valueOf(thrown));
            out.println((isSkip ? "SKIPPED " : "FAILED ") + name(test));
            if (thrown != null) {
                thrown.printStackTrace(out);
            }
        } else if (test.isTest()) {
            passed++;
            end(test, "passed", "");
        }
        if (isClass(test)) {
            long tenths = (System.nanoTime() - classBegan) / 100_000_000;
            out.printf(Locale.ROOT, "  %-60s %4d.%d s%n", test.getDisplayName(), tenths / 10, tenths % 10);
            out.flush();
        }
    }

    /** A suppressed exception is a failure of what the test closed at its end. */
    private static boolean isRefusal(Throwable thrown) {
        return thrown instanceof RefusedByDevice && thrown.getSuppressed().length == 0;
    }

    private void end(TestIdentifier test, String how, String message) {
        write("ended", how, test.getUniqueId(), methodName(test), parameters(test), message);
    }

    private void write(String... fields) {
        for (int i = 0; i < fields.length; i++) {
            fields[i] = fields[i].replaceAll("\\R", " ").replace('\t', ' ');
        }
        file.println(String.join("\t", fields));
        file.flush();
    }

    private static boolean isClass(TestIdentifier test) {
        return test.getType().isContainer()
                && test.getUniqueIdObject().getSegments().size() == 2;
    }

    static String className(TestIdentifier test) {
        var segments = test.getUniqueIdObject().getSegments();
        return segments.size() > 1 ? segments.get(1).getValue() : test.getDisplayName();
    }

    private static String methodName(TestIdentifier test) {
        String type = className(test).replaceFirst(".*\\.", "");
        return test.getSource()
                .filter(MethodSource.class::isInstance)
                .map(source -> type + "." + ((MethodSource) source).getMethodName())
                .orElse(type);
    }

    /** {@code (7, RC)} from {@code [2] size = 7, type = RC}; empty for a test without parameters. */
    private String parameters(TestIdentifier test) {
        boolean once =
                !test.isTest() || plan.getParent(test).map(TestReport::isClass).orElse(true);
        return once
                ? ""
                : "(" + test.getDisplayName().replaceFirst("^\\[\\d+\\] ", "").replaceAll("\\b\\w+ = ", "") + ")";
    }

    private String name(TestIdentifier test) {
        return plan.getParent(test)
                .map(parent -> parent.getDisplayName() + "." + test.getDisplayName())
                .orElse(test.getDisplayName());
    }
}
