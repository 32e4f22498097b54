// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.testbed.ProcessFigures;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Creates and ends endpoints endlessly: by socket address, closed in each way from either side, with operations under
 * way, or by the death of the process at the other end; and by worker address.
 *
 * <p>As a program: {@code UcpChurn [ENDPOINTS] [TLS]}, by default ten thousand over TCP.
 */
final class UcpChurn implements AutoCloseable {

    private static final int AT_ONCE = 100; // so many connections end with one process
    private static final int WAYS = 5;

    private final String tls;
    private final SocketPair pair;
    private final MemorySegment buffer;
    private final MemorySegment large;
    private long ended;

    UcpChurn(String tls) {
        this.tls = tls;
        // Both ends are of one thread, so a close that waits for the other end waits in vain.
        pair = new SocketPair(tls, UcpPair.closingWithin(Duration.ofMillis(2)));
        buffer = pair.arena.allocate(8);
        large = pair.arena.allocate(1 << 20);
    }

    /** Connects and closes this many times, each way in turn. */
    void connectAndClose(int times) {
        for (int i = 0; i < times; i++) {
            connectAndEnd(i % WAYS);
        }
    }

    void connectAndEnd(int way) {
        UcpEndpoint client = pair.connect(config -> {});
        UcpEndpoint server = pair.request().accept();
        exchange(client);
        end(way, client, server);
        pair.forget(client);
        ended += 2;
        for (int j = 0; j < 50; j++) {
            pair.progress();
        }
    }

    private void exchange(UcpEndpoint client) {
        long receive = pair.server.tagReceive(buffer, 1);
        long send = client.tagSend(buffer, 1);
        await(pair.server, receive);
        await(pair.client, send);
        pair.server.requests().release(receive);
        pair.client.requests().release(send);
    }

    private void end(int way, UcpEndpoint client, UcpEndpoint server) {
        switch (way) {
            case 0 -> {
                client.closeForcibly();
                UcxTransports.until(server::isFailed, pair::progress);
                server.close();
            }
            case 1 -> {
                server.closeForcibly();
                client.close();
            }
            case 2 -> {
                client.close();
                server.close();
            }
            case 3 -> {
                long send = client.tagSend(large, 2); // a rendezvous that nobody receives
                client.closeForcibly();
                server.closeForcibly();
                await(pair.client, send);
                pair.client.requests().release(send);
                drop(2);
            }
            default -> {
                long flush = server.flush();
                client.closeForcibly();
                server.closeForcibly();
                await(pair.server, flush);
                pair.server.requests().release(flush);
            }
        }
    }

    // A message, or the part of it that has arrived, waits for a receive until the worker is closed.
    private void drop(long tag) {
        long receive = pair.server.tagReceive(large, tag);
        for (int i = 0; i < 100; i++) {
            pair.progress();
        }
        pair.server.requests().cancel(receive);
        await(pair.server, receive);
        pair.server.requests().release(receive);
    }

    /** Makes another process connect this many times, and kills it; then closes the endpoints. */
    void connectAndKill(int times) throws IOException {
        for (int left = times; left > 0; left -= AT_ONCE) {
            int connections = Math.min(left, AT_ONCE);
            List<UcpEndpoint> endpoints = new ArrayList<>();
            try (var child = new UcpClientChild(tls, pair.listener.address(), connections)) {
                for (int i = 0; i < connections; i++) {
                    endpoints.add(pair.request().accept());
                }
                for (int i = 0; i < connections; i++) {
                    long receive = pair.server.tagReceive(buffer, 1);
                    await(pair.server, receive);
                    pair.server.requests().release(receive);
                }
                child.kill();
            }
            for (UcpEndpoint endpoint : endpoints) {
                UcxTransports.until(endpoint::isFailed, pair::progress);
                endpoint.close();
            }
            ended += connections;
        }
    }

    /** Creates endpoints by worker address, sends, and closes them. */
    void addressAndClose(int times) {
        UcpAddress address = pair.server.address();
        for (int i = 0; i < times; i++) {
            // With NONE, UCX keeps the receiver's half of a connection until the receiving worker is closed.
            try (var endpoint =
                    pair.client.createEndpoint(address, config -> config.errorHandling(UcpErrorHandling.PEER))) {
                exchange(endpoint);
            }
            ended++;
        }
    }

    private void await(UcpWorker worker, long request) {
        UcxTransports.until(() -> worker.requests().isDone(request), pair::progress);
    }

    long ended() {
        return ended;
    }

    int outstanding() {
        return pair.client.requests().outstanding() + pair.server.requests().outstanding();
    }

    @Override
    public void close() {
        pair.close();
    }

    /** Churns, and prints as it goes. */
    public static void main(String[] args) throws IOException {
        int count = args.length > 0 ? Integer.parseInt(args[0]) : 10_000;
        String tls = args.length > 1 ? args[1] : "tcp,self";
        long begin = System.nanoTime();
        try (var churn = new UcpChurn(tls)) {
            for (int part = 0; part < 10; part++) {
                churn.connectAndClose(count / 25);
                churn.connectAndKill(count / 100);
                churn.addressAndClose(count / 100);
                System.out.println(churn.ended() + " endpoints in "
                        + Duration.ofNanos(System.nanoTime() - begin).toSeconds() + " s: " + ProcessFigures.now() + ", "
                        + churn.outstanding() + " requests outstanding");
            }
        }
        System.out.println("after the close: " + ProcessFigures.now());
    }
}
