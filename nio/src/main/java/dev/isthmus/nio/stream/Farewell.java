// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.loop.Registration;
import dev.isthmus.loop.Timer;
import java.time.Duration;

/**
 * The end of a stream that is closed: what was written goes to the peer, then the goodbye, then all is destroyed. A peer that
 * takes nothing any more gets a limited time for it. On the thread of the service.
 */
final class Farewell {

    private static final Duration LONGEST = Duration.ofSeconds(Integer.getInteger("isthmus.nio.lingerSeconds", 30));

    // A reset overtakes nothing that the peer's device takes at once: TCP sends a small write before its reset, too.
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
        service.loop().execute(this::end); // the loop is in a handler of the channel that this closes
    }

    private void end() {
        Service.disconnectNow(stream.link().id());
        stream.release();
    }
}
