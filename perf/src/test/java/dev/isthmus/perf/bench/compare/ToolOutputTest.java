// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.tools.perftest.PerfTest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The flags and the output of C tools, and what devices count. The outputs are the tools' own. */
@Tag("unit")
class ToolOutputTest {

    private static final Venue.End END =
            new Venue.End(Optional.of("rxe0"), OptionalInt.of(1), "10.0.0.1", Optional.of("veth0"), true);

    private static final Venue.End OTHER =
            new Venue.End(Optional.of("rxe1"), OptionalInt.of(1), "10.0.0.2", Optional.of("veth1"), true);

    /** The output of {@code ib_send_lat -U}. */
    private static final String TIMES = "/dev/isthmus/perf/tools/perftest/ib_send_lat-unsorted.txt";

    @TempDir
    private Path sys;

    private static Point point(Way way, Benchmark benchmark, long bytes) {
        return new Point(way, benchmark, bytes, 1);
    }

    /** A hundred messages of a server. */
    private static Job job(Point point, int port) {
        return new Job(Job.Role.SERVER, point, END, OTHER, false, port, 100);
    }

    private static String output(String name) throws IOException {
        try (var in = ToolOutputTest.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void shouldReadRoundTripsOfPerftest() throws IOException {
        Measured measured = new VerbsTool().read(point(Way.C_VERBS_SEND, Benchmark.PING_PONG, 64), 2000, output(TIMES));
        assertEquals(2 * 31.37, measured.times().averageMicros(), 1e-9);
        assertEquals(2 * 29.04, measured.times().typicalMicros(), 1e-9);
        // The longest of 199 times: perftest leaves it out, and prints the one before, 131.50.
        assertEquals(2 * 5468.3, measured.times().p999Micros(), 11);
        assertEquals(199, measured.times().all().orElseThrow().count());
        assertEquals(2 * 29.04, measured.times().all().orElseThrow().micros(50), 0.06);
        assertEquals(1e6 / 31.37, measured.messagesPerSecond(), 1e-6);
    }

    @Test
    void shouldReadTransfersOfRstream() throws IOException {
        String output = output("rstream.txt");
        Measured trips = StreamTool.figures(Benchmark.PING_PONG, 2000, output);
        assertEquals(2 * 194.47, trips.times().averageMicros(), 1e-9);
        assertEquals(4000, trips.messages());
        Measured rate = StreamTool.figures(Benchmark.ONE_WAY, 2000, output);
        assertEquals(1e6 / 194.47, rate.messagesPerSecond(), 1e-6);
        assertEquals(4000, rate.messages());
        assertThrows(
                IOException.class,
                () -> StreamTool.figures(
                        Benchmark.ONE_WAY, 2000, output.lines().findFirst().orElseThrow()));
    }

    private static String flags(Job.Role role, Point point, Venue.End server, Venue.End client) {
        return String.join(" ", StreamTool.flags(new Job(role, point, server, client, false, 7, 20)));
    }

    @Test
    void shouldTellAClientOfRstreamWhereItComesFromUnlessThatIsTheServersAddress() {
        Point point = point(Way.C_TCP, Benchmark.PING_PONG, 64);
        assertEquals(
                "-s 10.0.0.2 -b 10.0.0.1 -f ip -p 7 -S 64 -T n -I 20 -C 1 -T s",
                flags(Job.Role.CLIENT, point, OTHER, END));
        assertEquals("-s 10.0.0.1 -f ip -p 7 -S 64 -T n -I 20 -C 1 -T s", flags(Job.Role.CLIENT, point, END, END));
        Point rate = point(Way.C_SOCKETS, Benchmark.ONE_WAY, 64);
        assertEquals("-b 10.0.0.2 -f ip -p 7 -S 64 -T n -I 1 -C 20", flags(Job.Role.SERVER, rate, OTHER, END));
    }

    @Test
    void shouldRefuseLatenciesWithoutTheTimesOfAllMessages() throws IOException {
        Point point = point(Way.C_VERBS_SEND, Benchmark.PING_PONG, 64);
        String output = output("ib_send_lat.txt");
        assertThrows(IOException.class, () -> new VerbsTool().read(point, 2000, output));
    }

    @Test
    void shouldReadReadsOfPerftestAsTheyAre() throws IOException {
        Measured measured = new VerbsTool()
                .read(
                        point(Way.C_VERBS_READ, Benchmark.ONE_SIDED, 64),
                        1000,
                        "#, usec\n1, 8.5\n2, 7\n" + output("ib_read_lat.txt"));
        assertEquals(391.60, measured.times().averageMicros(), 1e-9);
        assertEquals(8.5, measured.times().p999Micros(), 0.009);
        assertEquals(1000, measured.messages());
    }

    @Test
    void shouldReadRatesOfPerftest() throws IOException {
        Measured small =
                new VerbsTool().read(point(Way.C_VERBS_SEND, Benchmark.ONE_WAY, 64), 2000, output("ib_send_bw-64.txt"));
        assertEquals(2737, small.messagesPerSecond(), 1e-6);
        assertTrue(Double.isNaN(small.times().averageMicros()));
        Measured large = new VerbsTool()
                .read(point(Way.C_VERBS_SEND, Benchmark.BOTH_WAYS, 65536), 500, output("ib_send_bw-64K-b.txt"));
        assertEquals(5.76 * 16, large.messagesPerSecond(), 1e-6);
        assertEquals(1000, large.messages());
    }

    @Test
    void shouldTakeOneWriteAtATimeForItsLatency() throws IOException {
        Point write = point(Way.C_VERBS_WRITE, Benchmark.ONE_SIDED, 64);
        assertEquals(PerfTest.WRITE_BW, VerbsTool.test(write));
        assertTrue(String.join(" ", VerbsTool.flags(job(write, 1))).endsWith("-N -t 1 -Q 1"));
        Measured measured = new VerbsTool().read(write, 2000, output("ib_send_bw-64.txt"));
        assertEquals(1e6 / 2737, measured.times().averageMicros(), 1e-6);
        assertTrue(Double.isNaN(measured.times().p999Micros()));
    }

    @Test
    void shouldReadTheTimesOfWrites() throws IOException {
        Point point = point(Way.C_VERBS_WRITE, Benchmark.ONE_SIDED, 64);
        Measured measured = VerbsTwin.read(point, "38000 1500\n40000 498\n90000 2\n", 2000);
        assertEquals((38 * 1500 + 40 * 498 + 90 * 2) / 2000.0, measured.times().averageMicros(), 1e-9);
        assertEquals(38, measured.times().typicalMicros(), 0.038);
        assertEquals(40, measured.times().p999Micros(), 0.04);
        assertEquals(2000, measured.messages());
        assertEquals(90, measured.times().all().orElseThrow().micros(100), 0.09);
        for (String other : List.of("", "38000 1999", "38000", "ibv_open_device: No such device", "-1 2000")) {
            assertThrows(IOException.class, () -> VerbsTwin.read(point, other, 2000), other);
        }
    }

    @Test
    void shouldReadTheTimesOfRoundTripsAtAFixedRate() throws IOException {
        Point point = point(Way.C_VERBS_SEND, Benchmark.FIXED_RATE, 64).at(1000);
        Measured kept = VerbsTwin.read(point, "1999500000 38500\n38000 1500\n40000 500\n", 2000);
        assertEquals(2 * 1000, kept.messagesPerSecond(), 1e-9);
        assertEquals(38.5, kept.times().averageMicros(), 0.04);
        assertEquals(2, kept.seconds(), 1e-9);
        Measured behind = VerbsTwin.read(point, "4000000000 2000000000\n38000 1500\n40000 500\n", 2000);
        assertEquals(2 * 500, behind.messagesPerSecond(), 1e-9);
        assertThrows(IOException.class, () -> VerbsTwin.read(point, "1999500000\n38000 1500\n40000 500\n", 2000));
        assertThrows(IOException.class, () -> VerbsTwin.read(point, "", 2000));
    }

    @Test
    void shouldTellOfPerftestWhereNothingCompilesTheWrites() {
        Point write = point(Way.C_VERBS_WRITE, Benchmark.ONE_SIDED, 64);
        String command = byHand(write, false);
        assertTrue(command.startsWith("ib_write_bw"), command);
        String twin = VerbsTwin.byHand(write, new Venue(END, OTHER), 100);
        assertTrue(twin.endsWith(" rxe1 1 rxe0 1 64 100"), twin);
    }

    @Test
    void shouldSayThatPerftestPrintedNoFigures() throws IOException {
        Point point = point(Way.C_VERBS_SEND, Benchmark.PING_PONG, 64);
        assertThrows(IOException.class, () -> new VerbsTool().read(point, 10, "Couldn't connect"));
        for (String none : List.of("nan", "inf")) {
            String spoilt = output("ib_send_lat.txt").replace("687.74", none);
            assertThrows(ToolRunner.NoFigureException.class, () -> new VerbsTool().read(point, 10, spoilt));
        }
        Point rate = point(Way.C_VERBS_SEND, Benchmark.ONE_WAY, 64);
        assertThrows(IOException.class, () -> new VerbsTool().read(rate, 10, ""));
        String noRate = output("ib_send_bw-64.txt").replaceAll("0\\.002737", "-nan");
        assertThrows(ToolRunner.NoFigureException.class, () -> new VerbsTool().read(rate, 10, noRate));
    }

    /**
     * A distance of 46 ms from the mean overflows C's int when it is squared, and the root of a negative number is not
     * a number.
     */
    @Test
    void shouldReadTimesWhoseDeviationPerftestCannotPrint() throws IOException {
        Point point = point(Way.C_VERBS_SEND, Benchmark.PING_PONG, 64);
        String output = output(TIMES).replace("10.25", "-nan");
        assertTrue(output.contains("-nan"), output);
        Measured measured = new VerbsTool().read(point, 2000, output);
        assertEquals(2 * 31.37, measured.times().averageMicros(), 1e-9);
        assertEquals(199, measured.times().all().orElseThrow().count());
    }

    @Test
    void shouldReadUcxPerftest() throws IOException {
        String output = output("ucx_perftest.txt");
        Measured trips =
                new UcxTool(List.of("ucx_perftest")).read(point(Way.C_UCX, Benchmark.PING_PONG, 8), 2000, output);
        assertEquals(2 * 1385.356, trips.times().averageMicros(), 1e-9);
        assertEquals(2 * 211153.921, trips.times().p999Micros(), 1e-9);
        assertEquals(0, trips.messages(), "how long the warm-up was the tool does not say");
        Measured rate = new UcxTool(List.of("ucx_perftest")).read(point(Way.C_UCX, Benchmark.ONE_WAY, 8), 2000, output);
        assertEquals(722, rate.messagesPerSecond());
        var route = new UcxRoute(UcxRoute.Transport.SHM, UcxRoute.Operation.PUT);
        Measured routed = new UcxTool(List.of("ucx_perftest"))
                .read(new Point(Way.C_UCX, Benchmark.PING_PONG, 8, route), 2000, output);
        assertEquals(2 * 211153.921, routed.times().typicalMicros(), 1e-9);
        assertTrue(Double.isNaN(routed.times().p999Micros()), "of which nobody knows");
        Point point = point(Way.C_UCX, Benchmark.ONE_WAY, 8);
        assertThrows(IOException.class, () -> new UcxTool(List.of("ucx_perftest")).read(point, 10, "+----+\n"));
    }

    @Test
    void shouldTellPerftestOfConnectionsAndDirections() {
        var both = new Point(Way.JAVA_VERBS_READ, Benchmark.BOTH_WAYS, 4096, 8);
        assertEquals(PerfTest.READ_BW, VerbsTool.test(both));
        assertEquals(
                "-F -d rxe0 -p 18515 -x 1 -s 4096 -n 100 -N -q 8 -b",
                String.join(" ", VerbsTool.flags(job(both, 18515))));
        assertEquals(1600, VerbsTool.messages(both, 100));
        assertEquals(1, VerbsTool.pairs(both, false));
        assertEquals(both, VerbsTool.ofPair(both, false));
        assertEquals(8, VerbsTool.pairs(both, true));
        assertEquals(1, VerbsTool.ofPair(both, true).connections());
        var trips = new Point(Way.JAVA_VERBS_SEND, Benchmark.PING_PONG, 8, 8);
        assertEquals(8, VerbsTool.pairs(trips, false));
        assertEquals(trips, VerbsTool.ofPair(trips, false));
        assertEquals(
                "-t ucp_put_bw -s 8 -n 100 -w 10000 -R 50 -f -p 7",
                String.join(
                        " ",
                        UcxTool.flags(job(
                                new Point(
                                        Way.JUCX,
                                        Benchmark.ONE_WAY,
                                        8,
                                        new UcxRoute(UcxRoute.Transport.TCP, UcxRoute.Operation.PUT)),
                                7))));
        assertEquals(
                "-t tag_lat -s 8 -n 100 -w 10 -R 99.9 -f -p 7",
                String.join(" ", UcxTool.flags(job(point(Way.C_UCX, Benchmark.PING_PONG, 8), 7))));
        assertEquals(16, UcxTool.pairs(new Point(Way.C_UCX, Benchmark.BOTH_WAYS, 8, 8)));
    }

    /** The command of a hundred messages between two devices, where nothing compiles the twin. */
    private static String byHand(Point point, boolean threadEach) {
        var options = new Comparison.Options(List.of(), 3, 0.5, 2, OptionalLong.empty(), threadEach, false);
        try (var children = new Children()) {
            return new ToolRunner(
                            new VerbsTool(), VerbsTwin.none("no compiler"), new Venue(END, OTHER), children, options)
                    .command(point, 100);
        }
    }

    /** The same of a way in Java, without what this JVM was told. */
    private static String byIsthmus(Point point, Venue venue) {
        try (var children = new Children();
                var runner = new JvmRunner(point, false, venue, children, new Comparison.Options(3, 0.5, 2))) {
            return runner.command(point, 100).replaceFirst("^.*(?=\\./isthmus)", "");
        }
    }

    @Test
    void shouldTellHowToRepeatARunByHand() {
        assertEquals(
                "ib_send_bw -F -d rxe0 -p 18515 -x 1 -s 8 -n 100 -N -b & sleep 2; "
                        + "ib_send_bw -F -d rxe1 -p 18515 -x 1 -s 8 -n 100 -N -b 127.0.0.1",
                byHand(point(Way.C_VERBS_SEND, Benchmark.BOTH_WAYS, 8), false));
        String several = byHand(new Point(Way.C_VERBS_SEND, Benchmark.PING_PONG, 8, 4), false);
        assertTrue(several.endsWith("127.0.0.1 # 4 such pairs at the same time, each with a port of its own"), several);
        assertEquals(
                "ib_write_bw -F -d rxe0 -p 18515 -x 1 -s 8 -n 100 -N & sleep 2; "
                        + "ib_write_bw -F -d rxe1 -p 18515 -x 1 -s 8 -n 100 -N 127.0.0.1"
                        + " # 2 such pairs at the same time, each with a port of its own",
                byHand(new Point(Way.C_VERBS_WRITE, Benchmark.ONE_WAY, 8, 2), true));
        assertEquals(
                "./isthmus compare --ways java-ucx --benchmarks ping-pong --bytes 8 --connections 1 --rounds 1"
                        + " --messages 100 --seconds 0.5 --warm-up 2.0 --devices rxe1,rxe0",
                byIsthmus(point(Way.JAVA_UCX, Benchmark.PING_PONG, 8), new Venue(END, OTHER)));
        var route = new UcxRoute(UcxRoute.Transport.SHM, UcxRoute.Operation.AM);
        assertEquals(
                "./isthmus compare --ways java-ucx --benchmarks ping-pong --bytes 8 --connections 1 --rounds 1"
                        + " --messages 100 --seconds 0.5 --warm-up 2.0 --devices none --routes shm-am",
                byIsthmus(new Point(Way.JAVA_UCX, Benchmark.PING_PONG, 8, route), Venue.loopback()));
    }

    @Test
    void shouldTellThatEverySecondPairOfUcxGoesTheOtherWay() throws Exception {
        try (var children = new Children()) {
            String command = new ToolRunner(
                            new UcxTool(List.of("ucx_perftest")),
                            VerbsTwin.none(""),
                            Venue.loopback(),
                            children,
                            new Comparison.Options(3, 0.5, 2))
                    .command(point(Way.C_UCX, Benchmark.BOTH_WAYS, 8), 100);
            assertTrue(command.endsWith("every second one the other way round"), command);
        }
    }

    @Test
    void shouldCountWhatBothEndsSend() throws IOException {
        var venue = new Venue(END, OTHER);
        assertTrue(WireCounters.of(Way.C_VERBS_SEND, venue, sys).isEmpty(), "there are no counters");
        for (String link : new String[] {"veth0", "veth1"}) {
            Path statistics = Files.createDirectories(sys.resolve("net/" + link + "/statistics"));
            Files.writeString(statistics.resolve("tx_bytes"), "1000\n");
        }
        assertEquals(
                2000,
                WireCounters.of(Way.C_VERBS_SEND, venue, sys).orElseThrow().sent());
        assertEquals(
                1000,
                WireCounters.of(Way.NIO_BLOCKING, new Venue(END, END), sys)
                        .orElseThrow()
                        .sent());
        assertFalse(WireCounters.of(Way.NIO_BLOCKING, Venue.loopback(), sys).isPresent());
    }

    @Test
    void shouldCountHardwareInWordsOfFourBytes() throws IOException {
        var end = new Venue.End(Optional.of("mlx5_0"), OptionalInt.of(3), "10.0.0.1", Optional.of("eth0"), false);
        Path counters = Files.createDirectories(sys.resolve("infiniband/mlx5_0/ports/1/counters"));
        Files.writeString(counters.resolve("port_xmit_data"), "250\n");
        assertEquals(
                1000,
                WireCounters.of(Way.JAVA_VERBS_READ, new Venue(end, end), sys)
                        .orElseThrow()
                        .sent());
        assertTrue(WireCounters.of(Way.NIO_BLOCKING, new Venue(end, end), sys).isEmpty(), "eth0 is not there");
    }

    @Test
    void shouldTakeThePayloadFromWhatWasCounted() {
        assertEquals(OptionalDouble.of(120), WireCounters.overhead(18_400, 100, 64));
        assertEquals(OptionalDouble.empty(), WireCounters.overhead(300, 100, 64), "it went elsewhere");
        assertEquals(OptionalDouble.empty(), WireCounters.overhead(18_400, 0, 64));
    }
}
