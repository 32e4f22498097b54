// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import java.util.function.Consumer;

/**
 * While a program may fill a configuration in: on the thread of its configurer, until that has returned. What is checked
 * after that is what C gets, as no other thread and no later call can change it in between.
 */
@SuppressWarnings("ReferenceEquality") // the same thread is meant
public final class Filling {

    // Other threads may read what it was or null, and neither is themselves: so a plain field will do.
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
     * Has the configurer fill its configuration in; nobody changes that afterwards.
     *
     * @param <C> the kind of configuration
     * @param configurer the program's
     * @param configuration what has this
     */
    public <C> void by(Consumer<? super C> configurer, C configuration) {
        try {
            configurer.accept(configuration);
        } finally {
            filler = null;
        }
    }
}
