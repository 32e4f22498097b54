// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor;

/**
 * One result.
 *
 * @param part the part that it concerns
 * @param level how much it matters
 * @param what the state, in words
 * @param mend what to type or do; empty if nothing needs to be done
 */
record Finding(Part part, Level level, String what, String mend) {

    /** How much a finding matters. */
    enum Level {
        /** All is well. */
        GOOD,
        /** The part works, but less well than it could. */
        NOTE,
        /** The part does not work. */
        MISSING
    }
}
