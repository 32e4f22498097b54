// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.mlx5;

/** Why Java cannot drive a queue pair: the rest of a sentence that begins with "it is not direct, because". */
public final class NotDirect extends Exception {

    private static final long serialVersionUID = 1;

    /** Gives the reason. */
    public NotDirect(String reason) {
        super(reason, null, false, false);
    }
}
