// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.loop.Registration;
import dev.isthmus.loop.Timer;
import java.time.Duration;

/**
 * The end of a closed stream: the peer gets what was written and then the goodbye, and everything is destroyed. A peer
 * that accepts nothing any more has a limited time. Runs on the service's thread.
 */
final class Farewell {

    private static final Duration LONGEST = Duration.ofSeconds(Integer.getInteger("isthmus.nio.lingerSeconds", 30));

    // A reset does not overtake bytes that the peer's device accepts at once: TCP, too, sends a small write before
    // its reset.
    private static final Duration SHORTEST = Duration.ofMillis(500);

    private final Service service;
    private final Stream stream;
    private Registration completions;
    private Timer limit;

    Farewell(Service service, Stream stream) {
        this.service = service;
        this.stream = stream;
    }

    void begin() {
        if (stream.takeLeave()) {
            end();
            return;
        }
        stream.leaving(this);
        completions = service.loop().add(stream.link().channel(), queue -> goOn());
        limit = service.loop().schedule(stream.isAbrupt() ? SHORTEST : LONGEST, this::stop);
    }

    void goOn() {
        if (completions != null && stream.takeLeave()) {
            stop();
        }
    }

    private void stop() {
        completions.close();
        completions = null;
        limit.cancel();
        service.loop().execute(this::end); // later, as the loop is now in a handler of the channel that this closes
    }

    private void end() {
        Service.disconnectNow(stream.link().id());
        stream.release();
    }
}
