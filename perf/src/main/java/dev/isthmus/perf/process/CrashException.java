// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.process;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.IExitCodeGenerator;

/** A signal that is not a request to end has ended a JVM: it has crashed, or was killed. */
public final class CrashException extends IOException implements IExitCodeGenerator {

    private static final long serialVersionUID = 1L;

    /** Shells and {@link Process} add this to the number of a signal. */
    private static final int SIGNALED = 128;

    private static final Map<Integer, String> SIGNALS =
            Map.of(4, "SIGILL", 5, "SIGTRAP", 6, "SIGABRT", 7, "SIGBUS", 8, "SIGFPE", 9, "SIGKILL", 11, "SIGSEGV");

    private final int status;

    /** Says who has crashed, and after that more. */
    public CrashException(String who, int status, String more, Exception cause) {
        super(who + " was ended by " + signal(status).orElse("status " + status) + more, cause);
        this.status = status;
    }

    /**
     * The exit status of that JVM.
     *
     * @return 128 and the number of the signal
     */
    @Override
    public int getExitCode() {
        return status;
    }

    /** The signal's name if this exit status means a crash. A JVM that meets SIGSEGV ends by SIGABRT. */
    public static Optional<String> signal(int status) {
        return Optional.ofNullable(SIGNALS.get(status - SIGNALED));
    }
}
