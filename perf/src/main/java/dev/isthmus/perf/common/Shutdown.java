// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.common;

/** The end of this JVM, usually by a signal. */
public final class Shutdown {

    private Shutdown() {}

    /** Whether this JVM is ending. */
    public static boolean hasBegun() {
        // A hook that set a flag would set it too late for code that has seen the effect of another hook.
        Thread probe = new Thread(() -> {});
        try {
            Runtime.getRuntime().addShutdownHook(probe);
            Runtime.getRuntime().removeShutdownHook(probe);
            return false;
        } catch (IllegalStateException e) {
            return true;
        }
    }
}
