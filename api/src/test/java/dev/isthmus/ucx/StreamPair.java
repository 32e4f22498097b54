// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.GuardedArena;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.EnumSet;

/** Two workers of one thread with endpoints to each other, and the stream of each. */
final class StreamPair implements AutoCloseable {

    private static final Duration CLOSE_TIMEOUT = Duration.ofMillis(200);

    final UcpContext context;
    final UcpWorker sender;
    final UcpWorker receiver;
    final UcpStream there;
    final UcpStream back;
    final Arena arena = GuardedArena.ofConfined();

    StreamPair(String tls) {
        context = UcpContext.create(
                config -> config.set("TLS", tls).features(EnumSet.of(UcpFeature.STREAM, UcpFeature.TAG)));
        sender = context.createWorker(UcpPair.closingWithin(CLOSE_TIMEOUT));
        receiver = context.createWorker(UcpPair.closingWithin(CLOSE_TIMEOUT));
        there = sender.createEndpoint(receiver.address()).stream();
        back = receiver.createEndpoint(sender.address()).stream();
    }

    void progress() {
        sender.progress();
        receiver.progress();
    }

    /** Ends an operation of either worker. */
    void await(UcpWorker worker, long request) {
        UcxTransports.until(() -> worker.requests().isDone(request), this::progress);
    }

    /** Ends and releases sends of the first worker. */
    void endAll(long... sends) {
        for (long send : sends) {
            await(sender, send);
            sender.requests().release(send);
        }
    }

    /** Releases receives of the second. */
    void release(long... receives) {
        for (long receive : receives) {
            receiver.requests().release(receive);
        }
    }

    /** Connects both sides, and closes the receiver's endpoint. */
    void closeBack() {
        connect();
        back.endpoint().close();
    }

    private void connect() {
        long flush = there.endpoint().flush();
        await(sender, flush);
        sender.requests().release(flush);
        if (back.endpoint().isOpen()) {
            long other = back.endpoint().flush();
            await(receiver, other);
            receiver.requests().release(other);
        }
    }

    @Override
    public void close() {
        connect();
        there.endpoint().close();
        back.endpoint().close();
        receiver.close();
        sender.close();
        context.close();
        arena.close();
    }
}
