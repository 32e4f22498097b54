// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import java.util.Objects;

/**
 * Whether to accept a request for a connection, and what to send to the peer.
 *
 * @param isAccepted whether to accept it
 * @param privateData what the peer receives
 */
public record Admission(boolean isAccepted, PrivateData privateData) {

    /** Checks that there is private data. */
    public Admission {
        Objects.requireNonNull(privateData, "privateData");
    }

    /**
     * Accepts the request.
     *
     * @return that decision, with the private data of {@link ConnectionSetup#parameters}, if any
     */
    public static Admission accept() {
        return new Admission(true, PrivateData.NONE);
    }

    /**
     * Accepts the request.
     *
     * @param data what the peer receives
     * @return that decision
     */
    public static Admission accept(PrivateData data) {
        return new Admission(true, data);
    }

    /**
     * Rejects the request.
     *
     * @param data what the peer receives; {@link PrivateData#NONE} for nothing
     * @return that decision
     */
    public static Admission reject(PrivateData data) {
        return new Admission(false, data);
    }
}
