// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.loop.EventLoop;
import dev.isthmus.loop.Timer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * The streams that probe whether their peer is still there. A stream that was idle for a whole period sends an empty
 * RDMA WRITE, as rsocket does. If the peer's device does not answer, the write fails, and so does
 * the stream. Runs on the service's thread.
 */
final class KeepAlives {

    /** The default is Linux's for TCP. */
    static final Duration PERIOD =
            Duration.ofSeconds(Math.max(1, Integer.getInteger("isthmus.nio.keepAliveSeconds", 7200)));

    private final EventLoop loop;
    private final Map<Stream, Timer> timers = new HashMap<>();

    KeepAlives(EventLoop loop) {
        this.loop = loop;
    }

    void add(Stream stream, Duration period) {
        remove(stream);
        if (!stream.isClosed()) {
            timers.put(stream, loop.schedule(period, () -> probe(stream, period)));
        }
    }

    void remove(Stream stream) {
        Timer timer = timers.remove(stream);
        if (timer != null) {
            timer.cancel();
        }
    }

    int size() {
        return timers.size();
    }

    private void probe(Stream stream, Duration period) {
        timers.put(stream, loop.schedule(period, () -> probe(stream, period)));
        stream.keepAlive();
    }
}
