// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.CmException;
import dev.isthmus.cm.Listener;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.attributes.TransportType;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("device")
@Tag("iwarp")
class RpingTest {

    private static final int PINGS = 5;

    private static InetAddress address(Device device) throws IOException {
        if (device.transportType() == TransportType.IWARP) { // its GIDs are no addresses; the testbed tells them
            int which = Device.list().getFirst().name().equals(device.name()) ? 0 : 1;
            return InetAddress.getByName(System.getenv("ISTHMUS_ADDRESSES").split(" ", 2)[which]);
        }
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
            boolean ended = process.waitFor(TestDeadlines.seconds(200), TimeUnit.SECONDS);
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
        long end = System.nanoTime() + TestDeadlines.ofSeconds(50).toNanos();
        while (true) {
            try {
                Rping.ping(server, PINGS, size);
                return;
            } catch (CmException e) { // it does not listen yet
                if (e.failure() != CmException.Failure.REJECTED || System.nanoTime() > end) {
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

    /** The server's interface by its IPv6 address of the link, as the server names it, and as who connects does. */
    private static Inet6Address linkLocal(InetAddress of, InetAddress scope) throws IOException {
        InetAddress own = NetworkInterface.getByInetAddress(of)
                .inetAddresses()
                .filter(InetAddress::isLinkLocalAddress)
                .findFirst()
                .orElseThrow();
        int index = NetworkInterface.getByInetAddress(scope).getIndex();
        return Inet6Address.getByAddress(null, own.getAddress(), index);
    }

    @Test
    void shouldServeRpingOverIpv6() throws Exception {
        InetAddress near = address(Device.list().getFirst());
        InetAddress far = address(Device.list().getLast());
        var listener = Rping.listen(new InetSocketAddress(linkLocal(far, far), 0));
        String port = "" + listener.localAddress().getPort();
        FutureTask<Integer> served = serving(listener);
        String to = linkLocal(far, near).getHostAddress();
        String from = linkLocal(near, near).getHostAddress();
        FutureTask<List<String>> client =
                c("rping", "-c", "-a", to, "-I", from, "-p", port, "-C", "" + PINGS, "-V", "-v");
        assertTrue(client.get().stream().anyMatch(line -> line.startsWith("ping data: rdma-ping-4: ")));
        assertEquals(PINGS, served.get());
    }

    @Test
    void shouldPingRpingOverIpv6() throws Exception {
        InetAddress near = address(Device.list().getFirst());
        InetAddress far = address(Device.list().getLast());
        pingRping(new InetSocketAddress(linkLocal(far, far), 0), linkLocal(far, near));
    }

    @Test
    void shouldPingRping() throws Exception {
        pingRping(server(0), server(0).getAddress());
    }

    private static void pingRping(InetSocketAddress at, InetAddress seen) throws Exception {
        InetSocketAddress where;
        try (var free = Rping.listen(at)) {
            where = free.localAddress();
        }
        String ip = where.getAddress().getHostAddress();
        FutureTask<List<String>> server =
                c("rping", "-s", "-a", ip, "-p", "" + where.getPort(), "-C", "" + PINGS, "-V", "-v");
        ping(new InetSocketAddress(seen, where.getPort()), 64);
        assertTrue(server.get().stream().anyMatch(line -> line.startsWith("server ping data: rdma-ping-4: ")));
    }
}
