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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The ends that communicate by sockets. */
@Tag("unit")
class NioTest {

    private static final String HERE = "127.0.0.1";

    private static NioJob job(boolean blocking, Benchmark benchmark, int bytes, int connections, int port) {
        return new NioJob(blocking, benchmark, bytes, connections, 50, rate(benchmark), HERE, HERE, port);
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
        NioJob job = job(blocking, benchmark, bytes, connections, Ports.free());
        CompletableFuture<Measured> server = start(job);
        Measured measured = job.ask();
        server.get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
        assertTrue(measured.messagesPerSecond() > 0, measured.toString());
        int each = benchmark == Benchmark.ONE_WAY ? 1 : 2;
        assertEquals(50L * connections * each, measured.messages());
        assertEquals(benchmark.isRoundTrip(), measured.averageMicros() > 0);
    }

    private static CompletableFuture<Measured> start(NioJob job) throws Exception {
        CompletableFuture<Measured> server = CompletableFuture.supplyAsync(() -> {
            try {
                return job.serve();
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
    void shouldPassAJobOnAsWords() {
        NioJob job = job(true, Benchmark.BOTH_WAYS, 4096, 16, 1234);
        assertEquals(job, NioJob.parse(List.of(job.format().split(" ", -1))));
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void shouldFailWhenTheOtherEndGoes(boolean blocking) throws Exception {
        try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            NioJob job = job(blocking, Benchmark.PING_PONG, 8, 1, server.getLocalPort());
            CompletableFuture<IOException> client =
                    CompletableFuture.supplyAsync(() -> assertThrows(IOException.class, job::ask));
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
        NioJob job = job(true, Benchmark.PING_PONG, 8, 1, Ports.free());
        CompletableFuture<Measured> server = start(job);
        // Another process may listen on the same port of another address.
        try (var other = new ServerSocket(job.port(), 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 2}))) {
            assertTrue(other.isBound());
        }
        job.ask();
        server.get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
    }
}
