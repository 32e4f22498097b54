// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.loop.Registration;
import dev.isthmus.loop.Timer;
import java.time.Duration;

/**
 * The end of a closed stream: the peer gets what was written and then the disconnect message, and everything is
 * destroyed. A peer that accepts nothing any more has a limited time. Runs on the service's thread.
 */
final class StreamClose {

    private static final Duration MAX_LINGER = Duration.ofSeconds(Integer.getInteger("isthmus.nio.lingerSeconds", 30));

    // A reset does not overtake bytes that the peer's device accepts at once: TCP, too, sends a small write before
    // its reset.
    private static final Duration RESET_LINGER = Duration.ofMillis(500);

    // For TCP to send again what the link may have lost: its first three tries take a second and a half.
    private static final Duration DELIVERY = Duration.ofSeconds(2);

    private final Service service;
    private final Stream stream;
    private Registration completions;
    private Timer limit;
    private boolean sent; // all of it, and the peer has a limited time to disconnect

    StreamClose(Service service, Stream stream) {
        this.service = service;
        this.stream = stream;
    }

    void begin() {
        CloseProgress progress = stream.advanceClose();
        if (progress == CloseProgress.OVER) {
            end();
            return;
        }
        stream.setStreamClose(this);
        completions = stream.link().group() == null
                ? service.loop().add(stream.link().channel(), queue -> advance())
                : () -> {}; // its group finds completions, and then has this advance
        limit = service.loop().schedule(stream.isReset() ? RESET_LINGER : MAX_LINGER, this::stop);
        awaitDelivery(progress);
    }

    void advance() {
        if (completions == null) {
            return;
        }
        CloseProgress progress = stream.advanceClose();
        if (progress == CloseProgress.OVER) {
            stop();
        } else {
            awaitDelivery(progress);
        }
    }

    private void awaitDelivery(CloseProgress progress) {
        if (progress == CloseProgress.SENT && !sent) {
            sent = true;
            limit.cancel();
            limit = service.loop().schedule(DELIVERY.compareTo(MAX_LINGER) < 0 ? DELIVERY : MAX_LINGER, this::stop);
        }
    }

    private void stop() {
        completions.close();
        completions = null;
        limit.cancel();
        service.loop().execute(this::end); // later, as the loop is now in a handler of the channel that this closes
    }

    private void end() {
        stream.disconnect();
        stream.release();
    }
}
