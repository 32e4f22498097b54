// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.buffers;

import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpFeature;
import dev.isthmus.ucx.UcpWorker;
import java.util.EnumSet;
import java.util.function.BooleanSupplier;

/** Two workers of one thread, the first with an endpoint to the second. */
final class UcpLoop implements AutoCloseable {

    static final long TAG = 7;

    /** Only a failing test reaches it: machines that emulate others are slow. */
    private static final long DEADLINE_NANOS = TestDeadlines.ofSeconds(120).toNanos();

    final UcpContext context;
    final UcpWorker sender;
    final UcpWorker receiver;
    final UcpEndpoint endpoint;

    UcpLoop(String tls) {
        context = UcpContext.create(
                config -> config.set("TLS", tls).features(EnumSet.of(UcpFeature.TAG, UcpFeature.RMA)));
        sender = context.createWorker();
        receiver = context.createWorker();
        endpoint = sender.createEndpoint(receiver.address());
    }

    void until(BooleanSupplier so) {
        long begin = System.nanoTime();
        while (!so.getAsBoolean()) {
            sender.progress();
            receiver.progress();
            if (System.nanoTime() - begin > DEADLINE_NANOS) {
                throw new AssertionError("not within the deadline");
            }
        }
    }

    /** Ends an operation of a worker, checks that it went well, and releases it. */
    void end(UcpWorker worker, long request) {
        until(() -> worker.requests().isDone(request));
        if (worker.requests().statusCode(request) != 0) {
            throw new AssertionError("ended as " + worker.requests().status(request));
        }
        worker.requests().release(request);
    }

    @Override
    public void close() {
        end(sender, endpoint.flush()); // connected on both sides
        endpoint.close();
        receiver.close();
        sender.close();
        context.close();
    }
}
