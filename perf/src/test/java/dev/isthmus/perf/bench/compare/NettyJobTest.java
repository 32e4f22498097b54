// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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

/** The ends that are programs on Netty, over TCP. */
@Tag("unit")
class NettyJobTest {

    private static final String HERE = "127.0.0.1";

    private static NettyJob job(NettyTransport transport, Benchmark benchmark, int bytes, int connections, int port) {
        return new NettyJob(
                transport,
                new NioJob(false, benchmark, bytes, connections, 50, NioTest.rate(benchmark), HERE, HERE, port));
    }

    private static CompletableFuture<Measured> start(NettyJob job) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return job.serve();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    @ParameterizedTest
    @CsvSource({
        "NIO, FIXED_RATE, 8, 128",
        "NIO, FIXED_RATE, 300000, 1",
        "NIO, ONE_WAY, 1, 1",
        "NIO, ONE_WAY, 300000, 2",
        "NIO, PING_PONG, 8, 128",
        "NIO, PING_PONG, 300000, 3",
        "EPOLL, ONE_WAY, 300000, 2",
        "EPOLL, PING_PONG, 8, 1"
    })
    void shouldMeasure(NettyTransport transport, Benchmark benchmark, int bytes, int connections) throws Exception {
        NettyJob job = job(transport, benchmark, bytes, connections, Ports.free());
        CompletableFuture<Measured> server = start(job);
        Measured measured = job.ask(); // which tries until the server listens
        server.get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
        assertTrue(measured.messagesPerSecond() > 0, measured.toString());
        assertEquals(50L * connections * (benchmark == Benchmark.ONE_WAY ? 1 : 2), measured.messages());
        assertEquals(benchmark.isRoundTrip(), measured.averageMicros() > 0);
    }

    /** Many times, because an event loop that ends may or may not close what is open in it. */
    @Test
    void shouldListenNoLongerWhenItHasServed() throws Exception {
        for (int i = 0; i < 200; i++) {
            NettyJob job = job(NettyTransport.NIO, Benchmark.PING_PONG, 8, 16, Ports.free());
            CompletableFuture<Measured> server = start(job);
            job.ask();
            server.get(TestDeadlines.seconds(60), TimeUnit.SECONDS);
            try (var next = new ServerSocket(job.ends().port(), 1, InetAddress.getLoopbackAddress())) {
                assertEquals(job.ends().port(), next.getLocalPort());
            }
        }
    }

    @Test
    void shouldPassAJobOnAsWords() {
        NettyJob job = job(NettyTransport.RDMA, Benchmark.PING_PONG, 4096, 128, 1234);
        assertEquals(job, NettyJob.parse(List.of(job.format().split(" ", -1))));
    }

    @Test
    void shouldFailWhenTheOtherEndGoes() throws Exception {
        try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            NettyJob job = job(NettyTransport.NIO, Benchmark.PING_PONG, 8, 1, server.getLocalPort());
            CompletableFuture<IOException> client =
                    CompletableFuture.supplyAsync(() -> assertThrows(IOException.class, job::ask));
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
