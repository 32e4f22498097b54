// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.loop.EventLoop;
import dev.isthmus.loop.Timer;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/**
 * The streams that probe whether their peer is still there, by one timer for all. A stream that was idle for a whole
 * period sends an empty RDMA WRITE, as rsocket does. If the peer's device does not answer, the write fails, and so does
 * the stream. Runs on the service's thread.
 */
final class KeepAlives {

    /** The default is Linux's for TCP. */
    static final Duration PERIOD =
            Duration.ofSeconds(Math.max(1, Integer.getInteger("isthmus.nio.keepAliveSeconds", 7200)));

    private final EventLoop loop;
    private final Duration period;
    private final Set<Stream> streams = new HashSet<>();
    private Timer timer; // null while there are no streams

    KeepAlives(EventLoop loop, Duration period) {
        this.loop = loop;
        this.period = period;
    }

    void add(Stream stream) {
        if (!stream.isClosed() && streams.add(stream) && timer == null) {
            timer = loop.schedule(period, this::tick);
        }
    }

    void remove(Stream stream) {
        if (streams.remove(stream) && streams.isEmpty()) {
            timer.cancel();
            timer = null;
        }
    }

    int size() {
        return streams.size();
    }

    private void tick() {
        timer = loop.schedule(period, this::tick);
        streams.forEach(Stream::keepAlive);
    }
}
