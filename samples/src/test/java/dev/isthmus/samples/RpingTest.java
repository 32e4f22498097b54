package dev.isthmus.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.CmException;
import dev.isthmus.cm.Listener;
import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.DeviceContext;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("device")
@Timeout(240)
class RpingTest {

    private static final int PINGS = 5;

    private static InetAddress address(Device device) throws IOException {
        try (DeviceContext context = device.open()) {
            return InetAddress.getByAddress(
                    Arrays.copyOfRange(context.defaultGid(1).gid().bytes(), 12, 16));
        }
    }

    private static InetSocketAddress server(int port) throws IOException {
        return new InetSocketAddress(address(Device.list().getLast()), port);
    }

    /** Runs the C program to its end; returns what it printed. */
    private static FutureTask<List<String>> c(String... command) throws IOException {
        Path output = Files.createTempFile("isthmus", ".out");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        var task = new FutureTask<>(() -> {
            boolean ended = process.waitFor(200, TimeUnit.SECONDS);
            process.destroyForcibly();
            List<String> lines = Files.readAllLines(output);
            Files.delete(output);
            assertTrue(ended && process.exitValue() == 0, () -> lines.toString());
            return lines;
        });
        Thread.ofPlatform().daemon().start(task);
        return task;
    }

    private static FutureTask<Integer> serving(Listener listener) {
        var task = new FutureTask<>(() -> {
            try (listener) {
                return Rping.serve(listener);
            }
        });
        Thread thread = Thread.ofPlatform().daemon().unstarted(task);
        listener.handOver(thread);
        thread.start();
        return task;
    }

    private static void ping(InetSocketAddress server, int size) throws Exception {
        for (int attempt = 0; ; attempt++) {
            try {
                Rping.ping(server, PINGS, size);
                return;
            } catch (CmException e) { // it does not listen yet
                if (e.failure() != CmException.Failure.REJECTED || attempt > 500) {
                    throw e;
                }
                Thread.sleep(100);
            }
        }
    }

    @Test
    void shouldPingItself() throws Exception {
        var listener = Rping.listen(server(0));
        InetSocketAddress where = listener.localAddress();
        FutureTask<Integer> served = serving(listener);
        Rping.ping(where, PINGS, 1000);
        assertEquals(PINGS, served.get());
    }

    @Test
    void shouldServeRpingWhichValidates() throws Exception {
        var listener = Rping.listen(server(0));
        InetSocketAddress where = listener.localAddress();
        FutureTask<Integer> served = serving(listener);
        String ip = where.getAddress().getHostAddress();
        FutureTask<List<String>> client = c("rping", "-c", "-a", ip, "-p", "" + where.getPort(), "-C", "5", "-V", "-v");
        assertTrue(client.get().stream().anyMatch(line -> line.startsWith("ping data: rdma-ping-4: ")));
        assertEquals(PINGS, served.get());
    }

    @Test
    void shouldPingRping() throws Exception {
        InetSocketAddress where;
        try (var free = Rping.listen(server(0))) {
            where = free.localAddress();
        }
        String ip = where.getAddress().getHostAddress();
        FutureTask<List<String>> server =
                c("rping", "-s", "-a", ip, "-p", "" + where.getPort(), "-C", "" + PINGS, "-V", "-v");
        ping(where, 64);
        assertTrue(server.get().stream().anyMatch(line -> line.startsWith("server ping data: rdma-ping-4: ")));
    }
}
