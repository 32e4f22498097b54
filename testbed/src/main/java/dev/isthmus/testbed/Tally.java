package dev.isthmus.testbed;

import java.io.PrintStream;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/** Counts tests, and prints a line for each class as it ends and whatever failed. */
final class Tally implements TestExecutionListener {

    private final PrintStream out;
    private final AtomicInteger passed = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicInteger skipped = new AtomicInteger();
    private TestPlan plan;
    private long classBegan;

    Tally(PrintStream out) {
        this.out = out;
    }

    int passed() {
        return passed.get();
    }

    int failed() {
        return failed.get();
    }

    int skipped() {
        return skipped.get();
    }

    @Override
    public void testPlanExecutionStarted(TestPlan testPlan) {
        plan = testPlan;
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        if (isClass(test)) {
            classBegan = System.nanoTime();
        }
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        int tests = test.isTest()
                ? 1
                : (int) plan.getDescendants(test).stream()
                        .filter(TestIdentifier::isTest)
                        .count();
        skipped.addAndGet(tests);
        out.println("SKIPPED " + name(test) + ": " + reason);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (test.isTest()) {
            counter(result.getStatus()).incrementAndGet();
        } else if (result.getStatus() == Status.FAILED) {
            failed.incrementAndGet(); // a class that could not be set up
        }
        if (result.getStatus() != Status.SUCCESSFUL) {
            out.println(result.getStatus() + " " + name(test));
            result.getThrowable().ifPresent(throwable -> throwable.printStackTrace(out));
        }
        if (isClass(test)) {
            long millis = (System.nanoTime() - classBegan) / 1_000_000;
            out.printf("  %-60s %6.1f s%n", test.getDisplayName(), millis / 1000.0);
            out.flush();
        }
    }

    private AtomicInteger counter(Status status) {
        return switch (status) {
            case SUCCESSFUL -> passed;
            case ABORTED -> skipped;
            case FAILED -> failed;
        };
    }

    private static boolean isClass(TestIdentifier test) {
        return test.getType().isContainer()
                && test.getUniqueIdObject().getSegments().size() == 2;
    }

    private String name(TestIdentifier test) {
        return plan.getParent(test)
                .map(parent -> parent.getDisplayName() + "." + test.getDisplayName())
                .orElse(test.getDisplayName());
    }
}
