// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.doctor;

/**
 * One thing that was looked at.
 *
 * @param part what it matters for
 * @param level how much it matters
 * @param what how it is, in words
 * @param mend what to type or do; empty where nothing needs to be done
 */
record Finding(Part part, Level level, String what, String mend) {

    /** How much a finding matters. */
    enum Level {
        /** As it should be. */
        GOOD,
        /** The part works, but less well than it could. */
        NOTE,
        /** The part does not work. */
        MISSING
    }
}
