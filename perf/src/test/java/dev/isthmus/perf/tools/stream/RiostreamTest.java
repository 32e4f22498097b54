// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.isthmus.testbed.ChildProgram;
import dev.isthmus.testbed.TestDeadlines;
import java.io.BufferedReader;
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

/** riostream as peer, in both roles, with each of its options that work between C and C over RDMA. */
@Tag("device") // SoftiWARP of Linux 6.1 fails a connect to C now and then, with CONNECT_ERROR, status -22
class RiostreamTest {

    private static int port = 7600; // one that nobody has used: some kernels keep a port of iWARP for a while

    private static List<String> flags(String role, String given) {
        List<String> all = new ArrayList<>(List.of(role, StreamTest.HOST, "-p", "" + port));
        all.addAll(StreamTest.LITTLE);
        all.addAll(List.of(given.split(" ", -1)));
        return all;
    }

    private static int run(PrintWriter out, String role, String given) {
        List<String> flags = flags(role, given);
        flags.add("--iomap");
        return StreamTest.run(out, flags);
    }

    private static ChildProgram riostream(String role, String given) {
        return new ChildProgram(Stream.concat(Stream.of("stdbuf", "-oL", "riostream"), flags(role, given).stream())
                .toList());
    }

    private static void assertTable(ChildProgram riostream) throws InterruptedException {
        StreamTest.assertTable(
                riostream.ended().stream().filter(StreamTest::isOfTable).toList());
    }

    @ParameterizedTest
    @CsvSource({
        "-S 1000 -T v, -S 1000 -T v",
        "-S 64 -T n -T v, -S 64 -T b -T v",
        "-S 16 -T b -T v, -S 16 -T n -T v",
        "-S 3000 -T b -T v, -S 3000 -T b -T v",
        "-S 3000 -T a -T v, -S 3000 -T n -T v",
        "-S 3000 -T a -T b -T v, -S 3000 -T b -T v",
        "-S 65536 -T v, -S 65536 -T v",
        "-S 100000 -T b -T v, -S 100000 -T v",
        "-S 1048576 -T v, -S 1048576 -T b -T v",
        "-S 3000 -T v -B 4096, -S 3000 -T v -B 1000000",
        "-S 100000 -T v -B 1000000 -f ip, -S 100000 -T v -B 4096 -f ip",
        "-S 3000, -S 3000"
    })
    void shouldExchangeWithRiostreamInBothRoles(String ofC, String ours) throws Exception {
        port++;
        try (ChildProgram server = riostream("-b", ofC)) {
            server.await("name");
            var written = new StringWriter();
            assertEquals(0, run(new PrintWriter(written), "-s", ours));
            StreamTest.assertTable(written.toString().lines().toList());
            assertTable(server);
        }
        port++;
        var written = new PipedReader(1 << 16);
        var lines = new BufferedReader(written);
        var out = new PrintWriter(new PipedWriter(written));
        var served = new FutureTask<>(() -> run(out, "-b", ours));
        Thread.ofPlatform().daemon().start(served);
        assertEquals(StreamTest.HEAD, lines.readLine()); // it listens
        try (ChildProgram client = riostream("-s", ofC)) {
            assertTable(client);
        }
        assertEquals(0, served.get(TestDeadlines.seconds(60), TimeUnit.SECONDS));
        StreamTest.assertTable(List.of(StreamTest.HEAD, lines.readLine()));
    }
}
