// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import dev.isthmus.CmException;
import dev.isthmus.verbs.QueuePairState;
import java.util.function.Consumer;

/** Answers requests whose peers may have gone meanwhile. */
final class Answers {

    private Answers() {}

    /** Whether the peer has gone. No event reports that, but then no state can be set for a queue pair. */
    static boolean hasEnded(ConnectionId requested) {
        try {
            requested.transition(QueuePairState.INIT);
            return false;
        } catch (CmException e) {
            return true;
        }
    }

    static void reject(ConnectionId requested, PrivateData data) {
        try {
            requested.reject(data);
        } catch (CmException e) {
            return; // the peer has gone
        }
    }

    /** Returns false if the peer has gone. */
    static boolean accept(ConnectionId requested, Consumer<ConnectionConfig> parameters, PrivateData data) {
        Consumer<ConnectionConfig> withData = config -> {
            if (data.length() > 0) {
                config.privateData(data);
            }
        };
        try {
            requested.accept(parameters.andThen(withData));
            return true;
        } catch (CmException e) {
            return false;
        }
    }
}
