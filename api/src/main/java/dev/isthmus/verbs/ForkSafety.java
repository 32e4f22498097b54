// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.internal.Errno;
import dev.isthmus.internal.verbs.IbverbsLibrary;
import dev.isthmus.internal.verbs.Libibverbs;
import dev.isthmus.internal.verbs.VerbsCall;

/**
 * Makes a process that registers memory safe to fork. Java's own way of starting processes does not need it; other
 * native code of the process may. Thread-safe.
 */
public final class ForkSafety {

    private ForkSafety() {}

    /**
     * Keeps registered memory from being inherited: {@code ibv_fork_init}. Call it before the first registration of the
     * process, and before its first queue pair and completion queue. After it has succeeded once, it does nothing. It
     * makes every registration more expensive, and is not needed where {@link #status} says UNNEEDED.
     *
     * @throws dev.isthmus.VerbsException with EINVAL if memory has been registered before
     * @throws dev.isthmus.RdmaUnavailableException if libibverbs is not installed
     */
    public static void enable() {
        IbverbsLibrary.require();
        try (var call = new VerbsCall().explain(ForkSafety::help)) {
            call.check(Libibverbs.FORK_INIT, "");
        }
    }

    private static String help(int errno) {
        return switch (errno) {
            case Errno.EINVAL ->
                "it is too late, as this process has registered memory: do it before the first registration";
            case Errno.ENOSYS -> "the kernel cannot keep memory from being inherited";
            default -> "";
        };
    }

    /**
     * Whether the process may fork: {@code ibv_is_fork_initialized}.
     *
     * @return the status
     * @throws dev.isthmus.RdmaUnavailableException if libibverbs is not installed
     */
    public static ForkStatus status() {
        IbverbsLibrary.require();
        try (var call = new VerbsCall()) {
            return ForkStatus.of(call.integer(Libibverbs.IS_FORK_INITIALIZED));
        }
    }
}
