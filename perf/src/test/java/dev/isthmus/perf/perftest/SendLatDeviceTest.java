package dev.isthmus.perf.perftest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.RdmaUnavailableException;
import dev.isthmus.testbed.OtherProcessor;
import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.Mtu;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Against the C program that Debian ships, in both roles, and against ourselves. */
@Tag("device")
@Timeout(120)
class SendLatDeviceTest {

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int ITERATIONS = 200;
    private static final SendLat.Listener QUIET = new SendLat.Listener() {};

    private static String serverDevice;
    private static String clientDevice;
    private static int gidIndex;

    private final List<Process> started = new ArrayList<>();

    @BeforeAll
    static void chooseDevices() {
        List<Device> devices = Device.list();
        serverDevice = devices.getFirst().name();
        clientDevice = devices.getLast().name();
        try (DeviceContext context = devices.getLast().open()) {
            gidIndex = context.defaultGid(1).index();
        }
    }

    @AfterEach
    void endPrograms() {
        started.forEach(Process::destroyForcibly);
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static SendLatOptions client(int port, int bytes) {
        return SendLatOptions.on(clientDevice, Optional.of("127.0.0.1"))
                .port(port)
                .messages(bytes, ITERATIONS);
    }

    private static SendLatOptions server(int port, int bytes) {
        return SendLatOptions.on(serverDevice, Optional.empty()).port(port).messages(bytes, ITERATIONS);
    }

    private Process cProgram(String device, int port, int bytes, String... more) throws IOException {
        List<String> command = new ArrayList<>(List.of("ib_send_lat", "-F", "-d", device, "-x", "" + gidIndex));
        command.addAll(List.of("-p", "" + port, "-s", "" + bytes, "-n", "" + ITERATIONS));
        command.addAll(List.of(more));
        Process process = new ProcessBuilder(OtherProcessor.of(command))
                .redirectErrorStream(true)
                .start();
        started.add(process);
        return process;
    }

    /** Waits for the C program, which must have been content, and returns its figures. */
    private static LatencyStatistics figuresOf(Process process) throws IOException, InterruptedException {
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS), output);
        assertEquals(0, process.exitValue(), output);
        return LatencyReport.parse(output);
    }

    private static CompletableFuture<long[]> start(SendLatOptions options) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return SendLat.run(options, LIMIT, QUIET);
            } catch (PerftestException e) {
                throw new AssertionError(e);
            }
        });
    }

    private static void awaitListener(int port, CompletableFuture<long[]> server) throws IOException {
        while (!Listening.isListening(port)) {
            if (server.isDone()) {
                server.join();
            }
            Thread.onSpinWait();
        }
    }

    private static void assertPlausible(long[] posted) {
        assertEquals(ITERATIONS, posted.length);
        LatencyStatistics figures = LatencyStatistics.ofRoundTrips(posted);
        assertTrue(figures.min() > 0 && figures.typical() >= figures.min(), figures.toString());
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 64, 4096})
    void shouldPingPongWithACServer(int bytes) throws Exception {
        int port = freePort();
        Process server = cProgram(serverDevice, port, bytes);
        Listening.await(port, server, LIMIT);
        assertPlausible(SendLat.run(client(port, bytes), LIMIT, QUIET));
        assertTrue(figuresOf(server).typical() > 0);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 64, 4096})
    void shouldPingPongWithACClient(int bytes) throws Exception {
        int port = freePort();
        CompletableFuture<long[]> server = start(server(port, bytes));
        awaitListener(port, server);
        Process client = cProgram(clientDevice, port, bytes, "127.0.0.1");
        assertTrue(figuresOf(client).typical() > 0);
        assertPlausible(server.get());
    }

    @Test
    void shouldPingPongWithItselfAgainAndAgainOnOnePort() throws Exception {
        int port = freePort();
        for (int session = 0; session < 3; session++) {
            CompletableFuture<long[]> server = start(server(port, 64));
            awaitListener(port, server);
            assertPlausible(SendLat.run(client(port, 64), LIMIT, QUIET));
            assertPlausible(server.get());
        }
    }

    @Test
    void shouldTellTheMtuThatTheCProgramIsLimitedTo() throws Exception {
        int port = freePort();
        Process server = cProgram(serverDevice, port, 64, "-m", "256");
        Listening.await(port, server, LIMIT);
        var mtus = new ArrayList<Integer>();
        SendLat.run(client(port, 64), LIMIT, new SendLat.Listener() {
            @Override
            public void connected(Mtu mtu, PerftestDestination mine, PerftestDestination theirs) {
                mtus.add(mtu.bytes());
            }
        });
        assertEquals(List.of(256), mtus);
        figuresOf(server);
    }

    @Test
    void shouldReportADeviceThatIsNotThere() {
        var options = SendLatOptions.on("no_such_device", Optional.empty());
        var e = assertThrows(RdmaUnavailableException.class, () -> SendLat.run(options, LIMIT, QUIET));
        assertTrue(e.getMessage().contains("no_such_device") && e.getMessage().contains(serverDevice), e.getMessage());
    }

    @Test
    void shouldReportAGidIndexThatIsNotThere() throws IOException {
        SendLatOptions options = server(freePort(), 64).gid(200);
        var e = assertThrows(IllegalArgumentException.class, () -> SendLat.run(options, LIMIT, QUIET));
        assertTrue(e.getMessage().contains("200"), e.getMessage());
    }

    @Test
    void shouldReportAPortThatIsTaken() throws IOException {
        try (var taken = new ServerSocket(0)) {
            SendLatOptions options = server(taken.getLocalPort(), 64);
            var e = assertThrows(PerftestException.class, () -> SendLat.run(options, LIMIT, QUIET));
            assertTrue(e.getMessage().contains("cannot listen on port " + taken.getLocalPort()), e.getMessage());
        }
    }

    @Test
    void shouldReportThatNoServerIsThere() throws IOException {
        SendLatOptions options = client(freePort(), 64);
        var e = assertThrows(PerftestException.class, () -> SendLat.run(options, LIMIT, QUIET));
        assertTrue(e.getMessage().startsWith("no server at 127.0.0.1:"), e.getMessage());
    }

    @Test
    void shouldGiveUpWhenTheCPeerWantsFewerMessages() throws Exception {
        int port = freePort();
        Process server = cProgram(serverDevice, port, 64);
        Listening.await(port, server, LIMIT);
        SendLatOptions options = client(port, 64).messages(64, 2 * ITERATIONS);
        var e = assertThrows(PerftestException.class, () -> SendLat.run(options, LIMIT, QUIET));
        assertTrue(e.getMessage().contains("(-n) the same on both ends"), e.getMessage());
    }
}
