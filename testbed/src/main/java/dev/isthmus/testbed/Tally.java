// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.testbed;

import java.io.PrintStream;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/** Counts tests, and prints a line for each class as it ends and whatever failed. */
final class Tally implements TestExecutionListener {

    private final PrintStream out;
    private final SortedMap<String, Integer> executed = new TreeMap<>();
    private final SortedMap<String, Integer> invocations = new TreeMap<>();
    private final SortedMap<String, SortedMap<String, String>> refused = new TreeMap<>();
    private int passed;
    private int failed;
    private int skipped;
    private TestPlan plan;
    private long classBegan;

    Tally(PrintStream out) {
        this.out = out;
    }

    synchronized int passed() {
        return passed;
    }

    synchronized int failed() {
        return failed;
    }

    synchronized int skipped() {
        return skipped;
    }

    /** How many tests of each class were executed, however they ended, by the class's name. */
    synchronized SortedMap<String, Integer> executed() {
        return new TreeMap<>(executed);
    }

    /**
     * What the device refused, by the test's class and method, followed by its parameters, unless all parameters were
     * refused alike.
     */
    synchronized SortedMap<String, String> refused() {
        var names = new TreeMap<String, String>();
        refused.forEach((method, reasons) -> {
            boolean alike = reasons.size() == invocations.get(method)
                    && Set.copyOf(reasons.values()).size() == 1;
            reasons.forEach((parameters, reason) -> names.put(alike ? method : method + parameters, reason));
        });
        return names;
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
    }

    @Override
    public synchronized void executionSkipped(TestIdentifier test, String reason) {
        int tests = test.isTest()
                ? 1
                : (int) plan.getDescendants(test).stream()
                        .filter(TestIdentifier::isTest)
                        .count();
        skipped += tests;
        out.println("SKIPPED " + name(test) + ": " + reason);
    }

    @Override
    public synchronized void executionFinished(TestIdentifier test, TestExecutionResult result) {
        Throwable thrown = result.getThrowable().orElse(null);
        if (test.isTest()) {
            executed.merge(className(test), 1, Integer::sum);
            invocations.merge(methodName(test), 1, Integer::sum);
        }
        if (test.isTest() && isRefusal(thrown)) {
            var reasons = refused.computeIfAbsent(methodName(test), name -> new TreeMap<>());
            if (reasons.put(parameters(test), thrown.getMessage()) != null) {
                failed++; // two tests of one name, only one of which the list could state
                out.println("FAILED " + name(test) + ": a second test of this name was refused");
            }
        } else {
            count(test, result.getStatus());
            if (result.getStatus() != Status.SUCCESSFUL) {
                out.println(result.getStatus() + " " + name(test));
                Optional.ofNullable(thrown).ifPresent(throwable -> throwable.printStackTrace(out));
            }
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

    private void count(TestIdentifier test, Status status) {
        if (!test.isTest()) {
            failed += status == Status.FAILED ? 1 : 0; // a class that could not be set up
            skipped += status == Status.ABORTED ? 1 : 0;
        } else if (status == Status.SUCCESSFUL) {
            passed++;
        } else if (status == Status.ABORTED) {
            skipped++;
        } else {
            failed++;
        }
    }

    private static boolean isClass(TestIdentifier test) {
        return test.getType().isContainer()
                && test.getUniqueIdObject().getSegments().size() == 2;
    }

    static String className(TestIdentifier test) {
        return test.getUniqueIdObject().getSegments().get(1).getValue();
    }

    private static String methodName(TestIdentifier test) {
        String method = test.getSource()
                .map(source -> ((MethodSource) source).getMethodName())
                .orElseThrow();
        return className(test).replaceFirst(".*\\.", "") + "." + method;
    }

    /** {@code (7, RC)} from {@code [2] size = 7, type = RC}; empty for a test without parameters. */
    private String parameters(TestIdentifier test) {
        boolean once = plan.getParent(test).map(Tally::isClass).orElse(true);
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
