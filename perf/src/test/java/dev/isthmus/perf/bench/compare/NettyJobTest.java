// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.perf.process.Ports;
import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The ends that are programs on Netty, over TCP. */
@Tag("unit")
class NettyJobTest {

    private static Job job(Job.Role role, Way way, Benchmark benchmark, int bytes, int connections, int port) {
        return MadeUp.job(role, new Point(way, benchmark, bytes, connections, NioTest.rate(benchmark)), 50, port);
    }

    private static CompletableFuture<Measured> start(Job job) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return new NettyJob(job).run();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    @ParameterizedTest
    @CsvSource({
        "NETTY_TCP, FIXED_RATE, 8, 128",
        "NETTY_TCP, FIXED_RATE, 300000, 1",
        "NETTY_TCP, ONE_WAY, 1, 1",
        "NETTY_TCP, ONE_WAY, 300000, 2",
        "NETTY_TCP, PING_PONG, 8, 128",
        "NETTY_TCP, PING_PONG, 300000, 3",
        "NETTY_EPOLL, ONE_WAY, 300000, 2",
        "NETTY_EPOLL, PING_PONG, 8, 1"
    })
    void shouldMeasure(Way way, Benchmark benchmark, int bytes, int connections) throws Exception {
        int port = Ports.free();
        CompletableFuture<Measured> server = start(job(Job.Role.SERVER, way, benchmark, bytes, connections, port));
        Measured measured = new NettyJob(job(Job.Role.CLIENT, way, benchmark, bytes, connections, port))
                .run(); // which tries until the server listens
        server.get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
        assertTrue(measured.messagesPerSecond() > 0, measured.toString());
        assertEquals(50L * connections * (benchmark == Benchmark.ONE_WAY ? 1 : 2), measured.messages());
        assertEquals(benchmark.isRoundTrip(), measured.times().averageMicros() > 0);
    }

    /** A client that gives up connecting has left something at the server, and tries again. */
    @Test
    void shouldServeAClientAfterOneThatLeftWithoutAWord() throws Exception {
        int port = Ports.free();
        CompletableFuture<Measured> server =
                start(job(Job.Role.SERVER, Way.NETTY_TCP, Benchmark.PING_PONG, 8, 1, port));
        connectAndLeave(port, server);
        Measured measured = new NettyJob(job(Job.Role.CLIENT, Way.NETTY_TCP, Benchmark.PING_PONG, 8, 1, port)).run();
        server.get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
        assertEquals(100, measured.messages());
    }

    /** Returns when the server has seen that it was left. */
    private static void connectAndLeave(int port, CompletableFuture<Measured> server) throws Exception {
        while (true) {
            try (var one = new Socket(InetAddress.getLoopbackAddress(), port)) {
                one.shutdownOutput();
                assertEquals(-1, one.getInputStream().read());
                return;
            } catch (ConnectException e) {
                assertFalse(server.isDone(), e::toString); // it does not listen yet
            }
        }
    }

    /** Many times, because an event loop that ends may or may not close what is open in it. */
    @Test
    void shouldListenNoLongerWhenItHasServed() throws Exception {
        for (int i = 0; i < 200; i++) {
            int port = Ports.free();
            CompletableFuture<Measured> server =
                    start(job(Job.Role.SERVER, Way.NETTY_TCP, Benchmark.PING_PONG, 8, 16, port));
            new NettyJob(job(Job.Role.CLIENT, Way.NETTY_TCP, Benchmark.PING_PONG, 8, 16, port)).run();
            server.get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
            try (var next = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                assertEquals(port, next.getLocalPort());
            }
        }
    }

    @Test
    void shouldFailWhenTheOtherEndGoes() throws Exception {
        try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var job =
                    new NettyJob(job(Job.Role.CLIENT, Way.NETTY_TCP, Benchmark.PING_PONG, 8, 1, server.getLocalPort()));
            CompletableFuture<IOException> client =
                    CompletableFuture.supplyAsync(() -> assertThrows(IOException.class, job::run));
            try (var connection = server.accept()) {
                assertEquals(8, connection.getInputStream().readNBytes(8).length);
            }
            assertTrue(
                    client.get(TestDeadlines.seconds(60), TimeUnit.SECONDS)
                            .getMessage()
                            .contains("closed"),
                    "it says why");
        }
    }
}
