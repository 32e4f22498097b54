// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.jmh;

import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpWorker;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;

/** The program that {@link StartBenchmark} starts: it sends a message to itself, says so, and ends. */
public final class FirstMessage {

    /** The line that it prints when the message has arrived. */
    static final String DONE = "done";

    private static final long NUMBER = 42;
    private static final long TAG = 7;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private FirstMessage() {}

    /** Sends the message. */
    public static void main(String... args) {
        try (Arena arena = Arena.ofConfined();
                UcpContext context = UcpContext.create(config -> config.set("TLS", "self"));
                UcpWorker worker = context.createWorker();
                UcpEndpoint endpoint = worker.createEndpoint(worker.address())) {
            MemorySegment out = arena.allocateFrom(ValueLayout.JAVA_LONG, NUMBER);
            MemorySegment in = arena.allocate(ValueLayout.JAVA_LONG);
            long receive = worker.tagReceive(in, TAG);
            long send = endpoint.tagSend(out, TAG);
            boolean came = worker.await(receive, PATIENCE) && worker.await(send, PATIENCE);
            if (!came || in.get(ValueLayout.JAVA_LONG, 0) != NUMBER) {
                throw new IllegalStateException("the message has not arrived");
            }
            worker.requests().release(receive);
            worker.requests().release(send);
            System.out.println(DONE);
        }
    }
}
