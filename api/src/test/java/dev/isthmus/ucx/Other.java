// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.testbed.OtherProcessor;
import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** Runs a part of a test on another thread, or in another process. */
final class Other {

    /** How long another process lives at most, so that a test that reads from it ends. */
    static final long LIFETIME_SECONDS = 5 * UcxTransports.DEADLINE_SECONDS;

    private Other() {}

    /** A JVM that runs a program, on another processor where that matters; its errors appear among the test's. */
    static ProcessBuilder jvm(Class<?> program, String... args) {
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("java.home") + "/bin/java",
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                TestDeadlines.option(),
                "-cp",
                System.getProperty("java.class.path"),
                program.getName()));
        command.addAll(List.of(args));
        return new ProcessBuilder(OtherProcessor.of(command)).redirectError(ProcessBuilder.Redirect.INHERIT);
    }

    /** Starts it, for no longer than {@link #LIFETIME_SECONDS}. */
    static Process start(ProcessBuilder builder) throws IOException {
        Process process = builder.start();
        CompletableFuture.delayedExecutor(LIFETIME_SECONDS, TimeUnit.SECONDS).execute(process::destroyForcibly);
        return process;
    }

    /** Runs it to its end; its exception fails the test. */
    static void thread(Runnable part) throws InterruptedException {
        var thrown = new AtomicReference<Throwable>();
        Thread thread = new Thread(part);
        thread.setUncaughtExceptionHandler((t, e) -> thrown.set(e));
        thread.start();
        thread.join(UcxTransports.DEADLINE_SECONDS * 1000);
        if (thread.isAlive() || thrown.get() != null) {
            throw new AssertionError("on the other thread", thrown.get());
        }
    }
}
