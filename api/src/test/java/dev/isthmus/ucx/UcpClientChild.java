package dev.isthmus.ucx;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;

/** The other process of a test: a JVM that connects to a listener, sends one message, and progresses until it is killed. */
final class UcpClientChild implements AutoCloseable {

    private final Process process;

    UcpClientChild(String tls, InetSocketAddress server) throws IOException {
        process = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        UcpClientChild.class.getName(),
                        tls,
                        server.getAddress().getHostAddress(),
                        Integer.toString(server.getPort()))
                .inheritIO()
                .start();
    }

    void kill() {
        process.destroyForcibly();
    }

    @Override
    public void close() {
        kill();
    }

    public static void main(String[] args) {
        try (var context = UcpContext.create(config -> config.set("TLS", args[0]));
                var worker = context.createWorker();
                var arena = Arena.ofConfined();
                var endpoint = worker.createEndpoint(
                        new InetSocketAddress(args[1], Integer.parseInt(args[2])), config -> {})) {
            MemorySegment buffer = arena.allocate(8);
            endpoint.tagSend(buffer, 1);
            long begin = System.nanoTime();
            while (System.nanoTime() - begin < 120_000_000_000L && !endpoint.isFailed()) {
                worker.progress();
            }
        }
    }
}
