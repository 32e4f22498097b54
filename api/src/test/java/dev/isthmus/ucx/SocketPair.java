// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.GuardedArena;
import java.io.File;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.function.Consumer;

/** Two workers of one thread, the second with a listener that the first can connect to. */
final class SocketPair implements AutoCloseable {

    static final long CLIENT_ID = 0x0123_4567_89ab_cdefL;

    final UcpContext context;
    final UcpWorker client;
    final UcpWorker server;
    final UcpListener listener;
    final Arena arena = GuardedArena.ofConfined();
    final List<UcpEndpoint> failed = new ArrayList<>();

    private final Deque<UcpConnectionRequest> requests = new ArrayDeque<>();
    private final List<UcpEndpoint> endpoints = new ArrayList<>();

    SocketPair(String tls) {
        this(tls, UcpPair.closingWithin(Duration.ofMillis(200)));
    }

    SocketPair(String tls, Consumer<UcpWorkerConfig> configurer) {
        this(tls, configurer, EnumSet.of(UcpFeature.TAG));
    }

    SocketPair(String tls, Consumer<UcpWorkerConfig> configurer, EnumSet<UcpFeature> features) {
        context = UcpContext.create(config -> config.set("TLS", tls).features(features));
        client = context.createWorker(configurer.andThen(config -> config.clientId(CLIENT_ID)));
        server = context.createWorker(configurer);
        listener = server.createListener(UcxTransports.listenAddress(), requests::add);
    }

    void progress() {
        client.progress();
        server.progress();
    }

    UcpEndpoint connect(Consumer<UcpEndpointConfig> configurer) {
        return connect(listener.address(), configurer);
    }

    UcpEndpoint connect(InetSocketAddress to, Consumer<UcpEndpointConfig> configurer) {
        return keep(client.createEndpoint(
                to,
                configurer.andThen(config -> config.errorHandler((endpoint, status) -> {
                    assertEquals(endpoint.failure(), status);
                    failed.add(endpoint);
                }))));
    }

    /** Waits for the next request. */
    UcpConnectionRequest request() {
        UcxTransports.until(() -> !requests.isEmpty(), this::progress);
        return requests.poll();
    }

    /** Notes an endpoint to close in the end. */
    UcpEndpoint keep(UcpEndpoint endpoint) {
        endpoints.add(endpoint);
        return endpoint;
    }

    /** Forgets an endpoint that was closed, one of many. */
    void forget(UcpEndpoint endpoint) {
        endpoints.remove(endpoint);
        failed.remove(endpoint);
    }

    /** A message each way. */
    void exchange(UcpEndpoint there, UcpEndpoint back, long size) {
        send(there, client, server, size);
        send(back, server, client, size);
    }

    private void send(UcpEndpoint endpoint, UcpWorker from, UcpWorker to, long size) {
        MemorySegment source = arena.allocate(size);
        MemorySegment target = arena.allocate(size);
        UcpPair.fill(source, (int) size);
        long receive = to.tagReceive(target, size);
        long send = endpoint.tagSend(source, size);
        UcxTransports.until(
                () -> to.requests().isDone(receive) && from.requests().isDone(send), this::progress);
        assertEquals(UcsStatus.OK, to.requests().status(receive));
        assertEquals(-1, target.mismatch(source));
        to.requests().release(receive);
        from.requests().release(send);
    }

    static long openFiles() {
        return new File("/proc/self/fd").list().length;
    }

    @Override
    public void close() {
        endpoints.forEach(UcpEndpoint::closeForcibly);
        listener.close();
        client.close();
        server.close();
        context.close();
        arena.close();
    }
}
