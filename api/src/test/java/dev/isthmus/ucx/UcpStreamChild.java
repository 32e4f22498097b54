// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.util.EnumSet;

/** The other process of a test: a JVM that connects to a listener, streams 8 bytes, and progresses until it is killed. */
final class UcpStreamChild implements AutoCloseable {

    private final Process process;

    UcpStreamChild(String tls, InetSocketAddress server) throws IOException {
        process = Other.start(Other.jvm(
                        UcpStreamChild.class,
                        tls,
                        server.getAddress().getHostAddress(),
                        Integer.toString(server.getPort()))
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
        try (var context = UcpContext.create(
                        config -> config.set("TLS", args[0]).features(EnumSet.of(UcpFeature.STREAM)));
                var worker = context.createWorker();
                var arena = Arena.ofConfined();
                var endpoint = worker.createEndpoint(
                        new InetSocketAddress(args[1], Integer.parseInt(args[2])), config -> {})) {
            long send = endpoint.stream().send(arena.allocate(8), 0, 8);
            long begin = System.nanoTime();
            while (System.nanoTime() - begin < Other.LIFETIME_SECONDS * 1_000_000_000L && !endpoint.isFailed()) {
                worker.progress();
            }
            worker.requests().release(send);
        }
    }
}
