// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.GuardedArena;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.function.Consumer;

/** Two workers of one thread, the first with an endpoint to the second. */
final class UcpPair implements AutoCloseable {

    static final long TAG = 0x1122334455667788L;

    final UcpContext context;
    final UcpWorker sender;
    final UcpWorker receiver;
    final UcpEndpoint endpoint;
    /** Its close fails if an operation was not seen to have ended. */
    final Arena arena = GuardedArena.ofConfined();

    UcpPair(String tls) {
        this(tls, config -> {});
    }

    UcpPair(String tls, Consumer<UcpWorkerConfig> configurer) {
        this(config -> config.set("TLS", tls), configurer);
    }

    UcpPair(Consumer<UcpContextConfig> contextConfigurer, Consumer<UcpWorkerConfig> configurer) {
        context = UcpContext.create(contextConfigurer);
        sender = context.createWorker(configurer);
        receiver = context.createWorker(configurer);
        endpoint = sender.createEndpoint(receiver.address());
    }

    void progress() {
        sender.progress();
        receiver.progress();
    }

    /** Ends an operation of either worker. */
    void await(UcpWorker worker, long request) {
        UcxTransports.until(() -> worker.requests().isDone(request), this::progress);
    }

    /**
     * Connects all lanes of the endpoint. With UCX 1.13 over TCP, a peer that closes before that ends the process, as
     * docs/ucx-faults.md says.
     */
    void connect() {
        connect(endpoint);
    }

    /** Connects all lanes of another endpoint to the receiver. */
    void connect(UcpEndpoint one) {
        exchange(one, arena.allocate(8), arena.allocate(8), TAG);
        await(sender, one.flush());
    }

    /** Sends and receives, and releases both. */
    void exchange(MemorySegment from, MemorySegment to, long tag) {
        exchange(endpoint, from, to, tag);
    }

    private void exchange(UcpEndpoint one, MemorySegment from, MemorySegment to, long tag) {
        long receive = receiver.tagReceive(to, tag);
        long send = one.tagSend(from, tag);
        await(receiver, receive);
        await(sender, send);
        receiver.requests().release(receive);
        sender.requests().release(send);
    }

    /** Bytes that differ from place to place and, by the seed, from message to message. */
    static void fill(MemorySegment buffer, int seed) {
        for (long i = 0; i < buffer.byteSize(); i++) {
            buffer.set(ValueLayout.JAVA_BYTE, i, (byte) (seed + i + (i >> 8) * 7));
        }
    }

    /** Closes once both sides are connected, which takes the progress of both. */
    @Override
    public void close() {
        if (endpoint.isOpen()) {
            await(sender, endpoint.flush());
        }
        closeAtOnce();
    }

    /** Closes like a program that has met an error. */
    void closeAtOnce() {
        endpoint.close();
        receiver.close();
        sender.close();
        context.close();
        arena.close();
    }

    static Consumer<UcpWorkerConfig> closingWithin(Duration timeout) {
        return config -> config.closeTimeout(timeout);
    }
}
