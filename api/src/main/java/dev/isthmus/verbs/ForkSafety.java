// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.internal.Errno;
import dev.isthmus.internal.verbs.IbverbsLibrary;
import dev.isthmus.internal.verbs.Libibverbs;
import dev.isthmus.internal.verbs.VerbsCall;

/**
 * Makes a process that registers memory safe to fork. Java itself starts processes in a way that needs none of it; other
 * native code of the process may not. Thread-safe.
 */
public final class ForkSafety {

    private ForkSafety() {}

    /**
     * Asks for registered memory not to be inherited: {@code ibv_fork_init}. It comes before the first registration of
     * the process, and before the first queue pair and completion queue; afterwards it does nothing when it had
     * succeeded. It makes every registration dearer, and is not needed where {@link #status} says UNNEEDED.
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
