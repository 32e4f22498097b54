// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import java.util.function.Consumer;

/**
 * The period in which a program may fill in a configuration: on the configurer's thread, until the configurer returns.
 * After that, no thread and no later call can change the configuration, so C gets what was checked.
 */
@SuppressWarnings("ReferenceEquality") // identity is meant
public final class Filling {

    // Other threads may read an old value or null, and neither is themselves, so a plain field will do.
    private Thread filler = Thread.currentThread();

    /** Begins on the calling thread. */
    public Filling() {}

    /**
     * Checks that the caller may change the configuration.
     *
     * @throws IllegalStateException if the configurer has returned, or runs on another thread
     */
    public void check() {
        if (filler != Thread.currentThread()) {
            throw new IllegalStateException(
                    "a configuration can be changed only by its configurer, on the thread that calls it and until it"
                            + " returns: set all there");
        }
    }

    /**
     * Lets the configurer fill in its configuration, which cannot change afterwards.
     *
     * @param <C> the kind of configuration
     * @param configurer the program's configurer
     * @param configuration the configuration that has this
     */
    public <C> void by(Consumer<? super C> configurer, C configuration) {
        try {
            configurer.accept(configuration);
        } finally {
            filler = null;
        }
    }
}
