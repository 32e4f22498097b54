// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * Lets {@link RankProcesses} run the tests instead of JUnit's JVM. In the end it compares the functions that they have called
 * with those that the coverage page says the class tests.
 */
final class RanksExtension implements InvocationInterceptor, AfterAllCallback {

    private final Set<String> called = new TreeSet<>();
    private RankProcesses processes; // null if none run

    @Override
    public void interceptTestMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> test, ExtensionContext context)
            throws Throwable {
        invocation.skip();
        if (processes == null) {
            Class<?> type = context.getRequiredTestClass();
            processes = new RankProcesses(type, type.getAnnotation(Ranks.class));
        }
        try {
            processes.run(test.getExecutable().getName());
        } catch (Throwable t) {
            processes.kill(); // the next test gets new ones
            called.addAll(processes.called());
            processes = null;
            throw t;
        }
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        if (processes != null) {
            processes.end();
            called.addAll(processes.called());
        }
        Set<String> wanted = MpiCoverageTest.coverage().functionsOf(context.getRequiredTestClass());
        wanted.removeAll(called);
        if (!wanted.isEmpty()) {
            throw new AssertionError(
                    "docs/coverage/mpi.d says that this class tests these, but it has not called them: " + wanted);
        }
    }
}
