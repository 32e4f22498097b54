// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/** A connection that this process has begun, and the calls that wait for it. Confined to the transport's thread. */
final class VerbsOutgoing {

    private static final Duration PAUSE = Duration.ofSeconds(10); // before the next try

    private final VerbsContext context;
    private final long to; // the peer's id
    private final Deque<VerbsCall> waiting = new ArrayDeque<>();
    private VerbsPeer peer; // null until it is connected
    private String failure; // null unless it cannot be connected
    private long failedAt;

    VerbsOutgoing(VerbsContext context, long to) {
        this.context = context;
        this.to = to;
    }

    /** Whether it has ended, and another one may follow. */
    boolean mayFollow() {
        return (peer != null && peer.isGone()) || (failure != null && System.nanoTime() - failedAt > PAUSE.toNanos());
    }

    void begin(VerbsCall call) {
        if (failure != null) {
            call.refuse(failure);
        } else if (peer == null) {
            waiting.add(call);
        } else {
            peer.begin(call);
        }
    }

    /** The connection is made; or it is not, and then why. */
    void connected(VerbsPeer made, String why) {
        if (made == null) {
            context.log().log("verbs cannot connect: " + why);
            end("verbs cannot connect: " + why);
            return;
        }
        peer = made;
        peer.awaitChallenge(to);
        while (!waiting.isEmpty()) {
            peer.begin(waiting.remove());
        }
    }

    /** Refuses what waits, and what comes. */
    void end(String why) {
        if (peer == null && failure == null) {
            failure = why;
            failedAt = System.nanoTime();
        }
        while (!waiting.isEmpty()) {
            waiting.remove().refuse(why);
        }
    }
}
