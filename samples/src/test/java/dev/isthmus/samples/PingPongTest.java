// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.VerbsException;
import dev.isthmus.samples.PingPongRun.Outcome;
import dev.isthmus.testbed.RefusedByDevice;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.xrc.XrcDomain;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The ping-pong samples with the C programs that Debian ships as their peers, in both roles. */
@Tag("device")
@Tag("extended")
@Timeout(TestDeadlines.LONGEST_TEST_SECONDS)
class PingPongTest {

    /** A sample, by the name of its C program without "ibv_" and "_pingpong". */
    private static Callable<Integer> sample(String name) {
        return switch (name) {
            case "rc" -> new RcPingPong();
            case "uc" -> new UcPingPong();
            case "ud" -> new UdPingPong();
            case "srq" -> new SrqPingPong();
            case "xsrq" -> new XsrqPingPong();
            default -> throw new IllegalArgumentException(name);
        };
    }

    static Stream<Arguments> exchanges() {
        return Stream.of(
                        List.of("rc", "-c -n 1000"),
                        List.of("rc", "-c -e -n 50 -s 1"),
                        List.of("rc", "-c -e -n 10 -s 65536"),
                        List.of("rc", "-c -n 50 -s 5000 -m 256 -r 2"),
                        List.of("uc", "-c -n 50 -s 1"),
                        List.of("uc", "-c -e -n 10 -s 65536 -m 512"),
                        List.of("ud", "-c -n 50 -s 1"),
                        List.of("ud", "-c -e -n 50"),
                        List.of("srq", "-c -n 50 -s 1 -q 1 -r 10"),
                        List.of("srq", "-c -e -n 200"),
                        List.of("srq", "-c -n 10 -s 65536 -q 3 -r 5"))
                .flatMap(exchange -> Stream.of(true, false)
                        .map(javaServes -> Arguments.of(exchange.getFirst(), exchange.getLast(), javaServes)));
    }

    @ParameterizedTest(name = "{0} {1}, Java serves: {2}")
    @MethodSource("exchanges")
    @Tag("connectx")
    void shouldPingPongWithTheCProgram(String name, String flags, boolean javaServes) throws Exception {
        Both both = pingPong(name, flags, javaServes);
        assertEquals(0, both.java().status(), both::toString);
        assertEquals(0, both.c().status(), both::toString);
        assertEquals(List.of(), both.java().errors(), both::toString);
        assertEquals(both.c().shape(), both.java().shape(), both::toString);
        assertEquals(both.c().addresses("local"), both.java().addresses("remote"), both::toString);
        assertEquals(both.c().addresses("remote"), both.java().addresses("local"), both::toString);
    }

    /** What each of two peers did. */
    private record Both(Outcome java, Outcome c) {}

    private static Both pingPong(String name, String flags, boolean javaServes) throws Exception {
        String[] options = flags.split(" ");
        String program = "ibv_" + name + "_pingpong";
        try (var run = new PingPongRun()) {
            if (javaServes) {
                FutureTask<Outcome> server = run.java(sample(name), true, options);
                run.awaitListener(server);
                Outcome c = PingPongRun.ended(run.c(program, false, options));
                return new Both(PingPongRun.ended(server), c);
            }
            FutureTask<Outcome> server = run.c(program, true, options);
            run.awaitListener(server);
            Outcome java = PingPongRun.ended(run.java(sample(name), false, options));
            return new Both(java, PingPongRun.ended(server));
        }
    }

    /** Soft-RoCE has no XRC: there both programs print that, and nothing else. */
    @Test
    void shouldPingPongWithTheCProgramOverXrcOrSayWhatItSays() throws Exception {
        if (hasXrc()) {
            for (boolean javaServes : new boolean[] {true, false}) {
                Both both = pingPong("xsrq", "-n 20 -e", javaServes);
                assertEquals(0, both.java().status(), both::toString);
                assertEquals(0, both.c().status(), both::toString);
                assertEquals("success", both.java().lines().getLast(), both::toString);
                assertEquals(both.c().lines().size(), both.java().lines().size(), both::toString);
            }
            return;
        }
        try (var run = new PingPongRun()) {
            Outcome c = PingPongRun.ended(run.c("ibv_xsrq_pingpong", true));
            assertEquals(1, c.status(), c::toString);
            assertEquals(List.of("Couldn't Open the XRC Domain 95"), c.errors());
            Outcome java = PingPongRun.ended(run.java(new XsrqPingPong(), true));
            assertOneLine(java, "xsrq_pingpong: ibv_open_xrcd(");
            assertTrue(java.errors().getFirst().contains("EOPNOTSUPP (95)"), java::toString);
            assertEquals(c.lines(), java.lines());
        }
        throw RefusedByDevice.by("ibv_open_xrcd", "EOPNOTSUPP");
    }

    private static boolean hasXrc() {
        try (var device = Device.first().open();
                var domain = XrcDomain.open(device)) {
            return domain.context() == device;
        } catch (VerbsException e) {
            assertEquals("EOPNOTSUPP", e.errnoName(), e::getMessage);
            return false;
        }
    }

    @Test
    void shouldTellThatTheOtherEndHasFewerQueuePairs() throws Exception {
        try (var run = new PingPongRun()) {
            FutureTask<Outcome> server = run.java(new SrqPingPong(), true, "-q", "3");
            run.awaitListener(server);
            FutureTask<Outcome> client = run.java(new SrqPingPong(), false, "-q", "2");
            assertOneLine(PingPongRun.ended(server), "srq_pingpong: the peer has fewer than 3 queue pairs");
            assertOneLine(PingPongRun.ended(client), "srq_pingpong: the ");
        }
    }

    @ParameterizedTest
    @CsvSource({"rc", "uc", "ud", "srq"})
    void shouldRejectAClientThatSpeaksSomethingElse(String name) throws Exception {
        try (var run = new PingPongRun()) {
            FutureTask<Outcome> server = run.java(sample(name), true);
            run.awaitListener(server);
            try (var stranger = new Socket(InetAddress.getLoopbackAddress(), run.port)) {
                stranger.getOutputStream().write(garbage());
                assertOneLine(
                        PingPongRun.ended(server), name + "_pingpong: the peer sent no address, but \"GET / HTTP");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"rc", "uc", "ud", "srq"})
    void shouldRejectAServerThatSpeaksSomethingElse(String name) throws Exception {
        try (var run = new PingPongRun();
                var listener = new ServerSocket(run.port, 1, InetAddress.getLoopbackAddress())) {
            FutureTask<Outcome> client = run.java(sample(name), false);
            try (var stranger = listener.accept()) {
                stranger.getOutputStream().write(garbage());
                assertOneLine(
                        PingPongRun.ended(client), name + "_pingpong: the peer sent no address, but \"GET / HTTP");
            }
        }
    }

    /** As long as the longest message of the programs. */
    private static byte[] garbage() {
        return "GET / HTTP/1.1\r\n".repeat(1000).getBytes(StandardCharsets.US_ASCII);
    }

    private static void assertOneLine(Outcome outcome, String begin) {
        assertEquals(1, outcome.status(), outcome::toString);
        assertEquals(1, outcome.errors().size(), outcome::toString);
        assertTrue(outcome.errors().getFirst().startsWith(begin), outcome::toString);
    }

    @Test
    void shouldReportAClientThatClosesEarly() throws Exception {
        try (var run = new PingPongRun()) {
            FutureTask<Outcome> server = run.java(new RcPingPong(), true);
            run.awaitListener(server);
            try (var stranger = new Socket(InetAddress.getLoopbackAddress(), run.port)) {
                stranger.getOutputStream().write("0000:".getBytes(StandardCharsets.US_ASCII));
            }
            assertOneLine(PingPongRun.ended(server), "rc_pingpong: the peer at 127.0.0.1:");
            assertTrue(server.get().errors().getFirst().endsWith(" after 5 of 52 bytes of its address"));
        }
    }

    @Test
    void shouldGiveUpOnAClientThatIsSilent() throws Exception {
        try (var run = new PingPongRun()) {
            FutureTask<Outcome> server = run.java(new RcPingPong(), true);
            run.awaitListener(server);
            try (var stranger = new Socket(InetAddress.getLoopbackAddress(), run.port)) {
                assertTrue(stranger.isConnected());
                assertOneLine(PingPongRun.ended(server), "rc_pingpong: the peer at 127.0.0.1:");
                assertTrue(server.get().errors().getFirst().endsWith(" sent 0 of 52 bytes of its address within 10 s"));
            }
        }
    }

    @Test
    void shouldReportThatNoServerIsThere() throws Exception {
        try (var run = new PingPongRun()) {
            assertOneLine(
                    PingPongRun.ended(run.java(new RcPingPong(), false)),
                    "rc_pingpong: Couldn't connect to 127.0.0.1:" + run.port);
        }
    }

    @Test
    void shouldReportADeviceThatIsNotThere() throws Exception {
        try (var run = new PingPongRun()) {
            assertOneLine(
                    PingPongRun.ended(run.java(new RcPingPong(), false, "-d", "no_such_device")), "rc_pingpong: ");
        }
    }

    @Test
    void shouldRejectOptionsThatTheCProgramRejects() throws Exception {
        try (var run = new PingPongRun()) {
            Outcome java = PingPongRun.ended(run.java(new RcPingPong(), false, "-m", "1000"));
            Outcome c = PingPongRun.ended(run.c("ibv_rc_pingpong", false, "-m", "1000"));
            assertEquals(c.status(), java.status());
            assertTrue(java.errors().getFirst().contains("'1000' is not 256, 512, 1024, 2048 or 4096"), java::toString);
        }
    }
}
