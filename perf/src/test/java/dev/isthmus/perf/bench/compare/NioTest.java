// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.perf.process.Listening;
import dev.isthmus.perf.process.Ports;
import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The ends that communicate by sockets. */
@Tag("unit")
class NioTest {

    private static Job job(Job.Role role, boolean blocking, Benchmark benchmark, int bytes, int connections, int port) {
        Way way = blocking ? Way.NIO_BLOCKING : Way.NIO_NON_BLOCKING;
        return MadeUp.job(role, new Point(way, benchmark, bytes, connections, rate(benchmark)), 50, port);
    }

    /** The number of round trips in a second. */
    static long rate(Benchmark benchmark) {
        return benchmark == Benchmark.FIXED_RATE ? 2000 : 0;
    }

    @ParameterizedTest
    @CsvSource({
        "true, FIXED_RATE, 8, 3",
        "false, FIXED_RATE, 8, 3",
        "false, FIXED_RATE, 300000, 1",
        "true, ONE_WAY, 1, 1",
        "true, ONE_WAY, 300000, 2",
        "true, BOTH_WAYS, 8, 2",
        "true, BOTH_WAYS, 300000, 1",
        "true, PING_PONG, 8, 1",
        "true, PING_PONG, 300000, 3",
        "false, ONE_WAY, 1, 1",
        "false, ONE_WAY, 300000, 2",
        "false, BOTH_WAYS, 8, 2",
        "false, BOTH_WAYS, 300000, 1",
        "false, PING_PONG, 8, 1",
        "false, PING_PONG, 300000, 3"
    })
    void shouldMeasure(boolean blocking, Benchmark benchmark, int bytes, int connections) throws Exception {
        int port = Ports.free();
        CompletableFuture<Measured> server = start(job(Job.Role.SERVER, blocking, benchmark, bytes, connections, port));
        Measured measured = NioSockets.run(job(Job.Role.CLIENT, blocking, benchmark, bytes, connections, port));
        server.get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
        assertTrue(measured.messagesPerSecond() > 0, measured.toString());
        int each = benchmark == Benchmark.ONE_WAY ? 1 : 2;
        assertEquals(50L * connections * each, measured.messages());
        assertEquals(benchmark.isRoundTrip(), measured.times().averageMicros() > 0);
    }

    private static CompletableFuture<Measured> start(Job job) throws Exception {
        CompletableFuture<Measured> server = CompletableFuture.supplyAsync(() -> {
            try {
                return NioSockets.run(job);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        while (!Listening.isListening(job.port())) {
            assertTrue(!server.isDone(), "the server has ended");
            TimeUnit.MILLISECONDS.sleep(2); // only the kernel's table shows it
        }
        return server;
    }

    @Test
    void shouldPassAJobOnAsALine() {
        Job job = job(Job.Role.CLIENT, true, Benchmark.BOTH_WAYS, 4096, 16, 1234);
        assertEquals(job, RecordLine.parse(Job.class, RecordLine.of(job)));
        var route = new UcxRoute(UcxRoute.Transport.SHM, UcxRoute.Operation.AM);
        var end = new Venue.End(Optional.of("rxe0"), OptionalInt.of(1), "10.0.0.1", Optional.empty(), true);
        var routed = new Job(
                Job.Role.BOTH, new Point(Way.JUCX, Benchmark.ONE_WAY, 8, route), end, job.client(), true, 7, 20);
        assertEquals(routed, RecordLine.parse(Job.class, RecordLine.of(routed)));
        assertThrows(IllegalArgumentException.class, () -> RecordLine.parse(Job.class, "nonsense"));
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void shouldFailWhenTheOtherEndGoes(boolean blocking) throws Exception {
        try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Job job = job(Job.Role.CLIENT, blocking, Benchmark.PING_PONG, 8, 1, server.getLocalPort());
            CompletableFuture<IOException> client =
                    CompletableFuture.supplyAsync(() -> assertThrows(IOException.class, () -> NioSockets.run(job)));
            try (var connection = server.accept()) {
                connection.getOutputStream().write(new byte[1]);
                assertEquals(8, connection.getInputStream().readNBytes(8).length);
            }
            assertTrue(
                    client.get(TestDeadlines.seconds(60), TimeUnit.SECONDS)
                            .getMessage()
                            .contains("closed"),
                    "it says why");
        }
    }

    @Test
    void shouldListenOnItsAddressOnly() throws Exception {
        int port = Ports.free();
        CompletableFuture<Measured> server = start(job(Job.Role.SERVER, true, Benchmark.PING_PONG, 8, 1, port));
        // Another process may listen on the same port of another address.
        try (var other = new ServerSocket(port, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 2}))) {
            assertTrue(other.isBound());
        }
        NioSockets.run(job(Job.Role.CLIENT, true, Benchmark.PING_PONG, 8, 1, port));
        server.get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
    }
}
