// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

/** A peer sent something that no peer of this version sends. Its connection is closed. */
final class BadMessageException extends RuntimeException {

    private static final long serialVersionUID = 1;

    BadMessageException(String message) {
        super(message);
    }

    /** Throws one unless the condition holds. */
    static void unless(boolean so, String message) {
        if (!so) {
            throw new BadMessageException(message);
        }
    }
}
