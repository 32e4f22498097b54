// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.RdmaUnavailableException;
import dev.isthmus.perf.tools.PerftestException;
import dev.isthmus.testbed.LogListener;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Our two ends with each other, and faults: of the device, the port, or what the other end wants. */
@Tag("device")
class PerftestDeviceTest {

    private TwoEnds ends;

    @BeforeEach
    void chooseDevices() {
        ends = new TwoEnds();
    }

    @AfterEach
    void endPrograms() {
        ends.close();
    }

    private static PerftestException failure(Plan plan) {
        return assertThrows(PerftestException.class, () -> Perftest.run(plan, TwoEnds.LIMIT, TwoEnds.QUIET));
    }

    @Test
    void shouldPingPongWithItselfAgainAndAgainOnOnePort() throws Exception {
        int port = TwoEnds.freePort();
        for (int session = 0; session < 3; session++) {
            CompletableFuture<Void> server = TwoEnds.start(ends.server(PerfTest.SEND_LAT, port, "-n 50 -s 64"));
            var sizes = new ArrayList<Integer>();
            Perftest.run(ends.client(PerfTest.SEND_LAT, port, "-n 50 -s 64"), TwoEnds.LIMIT, new Observer() {
                @Override
                public void latency(int bytes, long[] posted) {
                    sizes.add(bytes);
                    assertEquals(50, posted.length);
                }
            });
            server.get(TwoEnds.LIMIT.toSeconds(), TimeUnit.SECONDS);
            assertEquals(List.of(64), sizes);
        }
    }

    /** Users would see warnings of the library between the figures. */
    @ParameterizedTest
    @EnumSource
    void shouldGiveTheLibraryNoReasonToWarn(PerfTest test) throws Exception {
        try (var log = new LogListener("dev.isthmus", Level.INFO)) {
            int port = TwoEnds.freePort();
            CompletableFuture<Void> server = TwoEnds.start(ends.server(test, port, "-n 20"));
            Perftest.run(ends.client(test, port, "-n 20"), TwoEnds.LIMIT, TwoEnds.QUIET);
            server.get(TwoEnds.LIMIT.toSeconds(), TimeUnit.SECONDS);
            assertEquals(List.of(), log.messages());
        }
    }

    @Test
    void shouldUseTheMtuThatTheCProgramIsLimitedTo() throws Exception {
        int port = TwoEnds.freePort();
        ends.startC(PerfTest.SEND_LAT, port, "-n 20 -m 256");
        var mtus = new ArrayList<Integer>();
        Perftest.run(ends.client(PerfTest.SEND_LAT, port, "-n 20"), TwoEnds.LIMIT, new Observer() {
            @Override
            public void connected(
                    Plan plan,
                    Setup setup,
                    PerftestSession.Terms terms,
                    List<PerftestDestination> mine,
                    List<PerftestDestination> theirs) {
                mtus.add(terms.mtu().bytes());
            }
        });
        assertEquals(List.of(256), mtus);
    }

    @Test
    void shouldReportADeviceThatIsNotThere() {
        Plan plan = TwoEnds.plan(PerfTest.READ_LAT, "-d no_such_device");
        var e = assertThrows(RdmaUnavailableException.class, () -> Perftest.run(plan, TwoEnds.LIMIT, TwoEnds.QUIET));
        assertTrue(
                e.getMessage().contains("no_such_device") && e.getMessage().contains(ends.serverDevice()),
                e.getMessage());
    }

    @Test
    void shouldReportAGidIndexThatIsNotThere() throws IOException {
        Plan plan = ends.server(PerfTest.SEND_LAT, TwoEnds.freePort(), "-x 200");
        var e = assertThrows(IllegalArgumentException.class, () -> Perftest.run(plan, TwoEnds.LIMIT, TwoEnds.QUIET));
        assertTrue(e.getMessage().contains("200"), e.getMessage());
    }

    @Test
    void shouldReportAPortThatIsTaken() throws IOException {
        try (var taken = new ServerSocket(0)) {
            var e = failure(ends.server(PerfTest.SEND_BW, taken.getLocalPort(), "-s 64"));
            assertTrue(e.getMessage().contains("cannot listen on port " + taken.getLocalPort()), e.getMessage());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " -R", " -z"})
    void shouldListenWhereItIsToldTo(String flags) throws IOException {
        var e = assertThrows(
                Exception.class,
                () -> Perftest.run(
                        ends.server(PerfTest.SEND_BW, TwoEnds.freePort(), "-s 64 --listen 192.0.2.1" + flags),
                        Duration.ofMillis(1),
                        TwoEnds.QUIET));
        assertTrue(e.getMessage().contains("192.0.2.1"), e.toString());
    }

    @Test
    void shouldReportThatNoServerIsThere() throws IOException {
        var e = failure(ends.client(PerfTest.WRITE_LAT, TwoEnds.freePort(), "-s 64"));
        assertTrue(e.getMessage().startsWith("no server at 127.0.0.1:"), e.getMessage());
    }

    @Test
    void shouldRefuseADatagramLongerThanTheMtu() throws Exception {
        int port = TwoEnds.freePort();
        ends.startC(PerfTest.SEND_LAT, port, "-c UD -n 20 -s 64");
        Plan plan = ends.client(PerfTest.SEND_LAT, port, "-c UD -n 20 -s 8192");
        var e = assertThrows(IllegalArgumentException.class, () -> Perftest.run(plan, TwoEnds.LIMIT, TwoEnds.QUIET));
        assertTrue(e.getMessage().contains("at most as long as the MTU"), e.getMessage());
    }

    @Test
    void shouldGiveUpWhenTheCPeerWantsFewerMessages() throws Exception {
        int port = TwoEnds.freePort();
        ends.startC(PerfTest.SEND_LAT, port, "-n 100 -s 64");
        var e = failure(ends.client(PerfTest.SEND_LAT, port, "-n 200 -s 64"));
        assertTrue(e.getMessage().contains("(-n) the same on both ends"), e.getMessage());
    }
}
