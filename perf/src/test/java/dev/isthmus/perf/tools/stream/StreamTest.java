// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.ChildProgram;
import dev.isthmus.testbed.TestDeadlines;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PipedReader;
import java.io.PipedWriter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/**
 * rstream as peer, in both roles, with each of its options that work between C and C over RDMA. Not on iWARP: rsocket
 * lets the accepting side send first, which RFC 5044 forbids, and SoftiWARP then fails one connect in 14.
 */
@Tag("device")
class StreamTest {

    static final String HOST =
            System.getenv().getOrDefault("ISTHMUS_ADDRESSES", "").split(" ", 2)[0];
    static final String HEAD = "name      bytes   xfers   iters   total       time     Gb/sec    usec/xfer";
    static final List<String> LITTLE = List.of("-I", "3", "-C", "4");

    private static int port = 7480; // one that nobody has used: some kernels keep a port of iWARP for a while

    /** The C program, which says that it listens as soon as it does. */
    private static ChildProgram rstream(List<String> flags) {
        return new ChildProgram(Stream.concat(Stream.of("stdbuf", "-oL", "rstream"), flags.stream())
                .toList());
    }

    static int run(PrintWriter out, List<String> flags) {
        return new CommandLine(new StreamCommand())
                .setOut(out)
                .setExecutionExceptionHandler((e, command, parsed) -> {
                    e.printStackTrace();
                    return 1;
                })
                .execute(flags.toArray(String[]::new));
    }

    private static List<String> flags(String role, String given) {
        List<String> all = new ArrayList<>(List.of(role, HOST, "-p", "" + port));
        all.addAll(LITTLE);
        all.addAll(List.of(given.split(" ", -1)));
        return all;
    }

    static void assertTable(List<String> lines) {
        assertEquals(2, lines.size(), lines.toString());
        assertEquals(HEAD, lines.getFirst());
        assertTrue(
                lines.getLast().matches("custom    \\S+ +4 {7}3 {7}\\S+ +\\d+\\.\\d\\ds +\\d+\\.\\d\\d +\\d+\\.\\d\\d"),
                lines.toString());
    }

    @ParameterizedTest
    @CsvSource({
        "-S 3000 -T v, -S 3000 -T v",
        "-S 16 -T blocking -T verify, -S 16 -T b -T v",
        "-S 64 -T n -T v, -S 64 -T nonblocking -T verify",
        "-S 65536 -T b -T v, -S 65536 -T b -T v",
        "-S 100000 -T b -T v, -S 100000 -T n -T v",
        "-S 1048576 -T b -T v, -S 1048576 -T b -T v",
        "-S 3000 -T a -T v, -S 3000 -T b -T v",
        "-S 3000 -T b -T v, -S 3000 -T a -T v",
        "-S 100000 -T a -T v, -S 100000 -T async -T verify",
        "-S 3000 -T r -T v, -S 3000 -T b -T v",
        "-S 3000 -T b -T v -k 1, -S 3000 -T b -T v",
        "-S 3000 -T b -T v -i 0, -S 3000 -T b -T v -i 256",
        "-S 3000 -T b -T v -B 4096, -S 3000 -T b -T v -B 1000000",
        "-S 3000 -T b -T v -B 1000000 -f ip, -S 3000 -T b -T v -B 4096 -f ip",
        "-S 1000 -T s -T v, -S 1000 -T s -T v",
        "-S 1000 -T s -T v, -S 1000 -T s -T a -T v",
        "-S 1000 -T f -T v, -S 1000 -T s -T b -T v"
    })
    void shouldExchangeWithRstreamInBothRoles(String ofC, String ours) throws Exception {
        port++;
        try (ChildProgram server = rstream(flags("-b", ofC))) {
            server.await("name");
            assertEquals(HEAD, connect(ours).getFirst());
            assertTable(server.ended().stream().filter(StreamTest::isOfTable).toList());
        }
        port++;
        var written = new PipedReader(1 << 16);
        var lines = new BufferedReader(written);
        var out = new PrintWriter(new PipedWriter(written));
        var served = new FutureTask<>(() -> run(out, flags("-b", ours)));
        Thread.ofPlatform().daemon().start(served);
        assertEquals(HEAD, lines.readLine()); // it listens
        try (ChildProgram client = rstream(flags("-s", ofC))) {
            assertTable(client.ended().stream().filter(StreamTest::isOfTable).toList());
        }
        assertEquals(0, served.get(TestDeadlines.seconds(60), TimeUnit.SECONDS));
        assertTable(List.of(HEAD, lines.readLine()));
    }

    static boolean isOfTable(String line) {
        return line.startsWith("name ") || line.startsWith("custom ");
    }

    private static List<String> connect(String given) throws IOException {
        var written = new StringWriter();
        assertEquals(0, run(new PrintWriter(written), flags("-s", given)));
        List<String> lines = written.toString().lines().toList();
        assertTable(lines);
        return lines;
    }
}
