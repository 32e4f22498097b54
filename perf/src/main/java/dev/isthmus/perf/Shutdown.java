// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf;

/** The end of this JVM, by a signal as a rule. */
public final class Shutdown {

    private Shutdown() {}

    /**
     * Whether this JVM is ending.
     *
     * @return whether its hooks have been started
     */
    public static boolean hasBegun() {
        // What a hook could set would be seen too late by one who has seen the effect of another hook.
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
