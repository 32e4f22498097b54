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

    // For TCP to send again what the link may have lost: its first three tries take a second and a half.
    private static final Duration DELIVERY = Duration.ofSeconds(2);

    private final Service service;
    private final Stream stream;
    private Registration completions;
    private Timer limit;
    private boolean sent; // all of it, and the peer has a limited time to leave

    Farewell(Service service, Stream stream) {
        this.service = service;
        this.stream = stream;
    }

    void begin() {
        Parting parting = stream.takeLeave();
        if (parting == Parting.OVER) {
            end();
            return;
        }
        stream.leaving(this);
        completions = service.loop().add(stream.link().channel(), queue -> goOn());
        limit = service.loop().schedule(stream.isAbrupt() ? SHORTEST : LONGEST, this::stop);
        awaitDelivery(parting);
    }

    void goOn() {
        if (completions == null) {
            return;
        }
        Parting parting = stream.takeLeave();
        if (parting == Parting.OVER) {
            stop();
        } else {
            awaitDelivery(parting);
        }
    }

    private void awaitDelivery(Parting parting) {
        if (parting == Parting.SENT && !sent) {
            sent = true;
            limit.cancel();
            limit = service.loop().schedule(DELIVERY.compareTo(LONGEST) < 0 ? DELIVERY : LONGEST, this::stop);
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
