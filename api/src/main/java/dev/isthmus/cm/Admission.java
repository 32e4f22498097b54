// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import java.util.Objects;

/**
 * Whether a request for a connection is accepted, and what the peer is told.
 *
 * @param isAccepted whether it is
 * @param privateData what the peer is told
 */
public record Admission(boolean isAccepted, PrivateData privateData) {

    /** Checks that there is private data. */
    public Admission {
        Objects.requireNonNull(privateData, "privateData");
    }

    /**
     * The request is accepted.
     *
     * @return that, with the private data of {@link ConnectionSetup#parameters}, if any
     */
    public static Admission accept() {
        return new Admission(true, PrivateData.NONE);
    }

    /**
     * The request is accepted.
     *
     * @param data what the peer is told
     * @return that
     */
    public static Admission accept(PrivateData data) {
        return new Admission(true, data);
    }

    /**
     * The request is rejected.
     *
     * @param data what the peer is told; {@link PrivateData#NONE} for nothing
     * @return that
     */
    public static Admission reject(PrivateData data) {
        return new Admission(false, data);
    }
}
