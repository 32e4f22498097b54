// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * The other process of a test: a JVM that connects to a listener, once or often, sends one message on each connection,
 * and progresses until it is killed.
 */
final class UcpClientChild implements AutoCloseable {

    private final Process process;

    UcpClientChild(String tls, InetSocketAddress server) throws IOException {
        this(tls, server, 1);
    }

    UcpClientChild(String tls, InetSocketAddress server, int connections) throws IOException {
        process = Other.start(Other.jvm(
                        UcpClientChild.class,
                        tls,
                        server.getAddress().getHostAddress(),
                        Integer.toString(server.getPort()),
                        Integer.toString(connections))
                .inheritIO());
    }

    void kill() {
        process.destroyForcibly();
    }

    @Override
    public void close() {
        kill();
    }

    public static void main(String[] args) {
        var address = new InetSocketAddress(args[1], Integer.parseInt(args[2]));
        try (var context = UcpContext.create(config -> config.set("TLS", args[0]));
                var worker = context.createWorker();
                var arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(8);
            List<UcpEndpoint> endpoints = new ArrayList<>();
            for (int i = 0; i < Integer.parseInt(args[3]); i++) {
                UcpEndpoint endpoint = worker.createEndpoint(address, config -> {});
                endpoints.add(endpoint);
                endpoint.tagSend(buffer, 1);
                worker.progress();
            }
            long begin = System.nanoTime();
            while (System.nanoTime() - begin < Other.LIFETIME_SECONDS * 1_000_000_000L
                    && !endpoints.getFirst().isFailed()) {
                worker.progress();
            }
            endpoints.forEach(UcpEndpoint::close);
        }
    }
}
