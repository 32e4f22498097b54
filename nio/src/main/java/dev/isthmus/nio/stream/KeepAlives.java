// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.loop.EventLoop;
import dev.isthmus.loop.Timer;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/**
 * The streams that ask whether their peer is still there: one timer for all. A stream on which nothing has happened for a
 * whole period sends an empty RDMA WRITE, as rsocket does; when the peer's device does not answer, it fails, and so does the
 * stream. On the thread of the service.
 */
final class KeepAlives {

    /** As Linux has it for TCP, unless a property says otherwise. */
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
