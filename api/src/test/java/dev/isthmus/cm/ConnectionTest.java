// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.CmException;
import dev.isthmus.CmException.Failure;
import dev.isthmus.OtherThread;
import dev.isthmus.RdmaException;
import dev.isthmus.testbed.ChildJvm;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.CompletionStatus;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.RegisteredMemory;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Listener, Connector and Connection. */
@Tag("device")
@Tag("iwarp")
class ConnectionTest {

    private static final Duration DEADLINE = TestDeadlines.ofSeconds(30);

    private static Listener listener(Consumer<ListenerConfig> configure) {
        return Listener.bind(new InetSocketAddress(Rendezvous.far(), 0), configure);
    }

    private static Connection connect(InetSocketAddress to) throws InterruptedException {
        return connect(to, setup -> {});
    }

    private static Connection connect(InetSocketAddress to, Consumer<ConnectionSetup> configure)
            throws InterruptedException {
        return Connector.connect(
                to, DEADLINE, configure.andThen(setup -> setup.from(new InetSocketAddress(Rendezvous.near(), 0))));
    }

    /** Posts the receives before the peer can send. */
    private static void postReceive(Connection connection) {
        RegisteredMemory memory = connection.allocate(4096, AccessFlag.LOCAL_WRITE);
        connection.id().attach(memory);
        assertTrue(connection
                .queuePair()
                .tryPost(ReceiveRequest.prepare(memory.region()).wrId(7)));
    }

    private static String received(Connection connection) throws InterruptedException {
        WorkCompletions done = WorkCompletions.allocate(1);
        assertEquals(1, connection.await(done, DEADLINE));
        assertEquals(CompletionStatus.SUCCESS, done.status(0));
        assertEquals(7, done.wrId(0));
        return ((RegisteredMemory) connection.id().attachment()).segment().getString(0);
    }

    private static void send(Connection connection, String text) {
        RegisteredMemory memory = connection.allocate(4096, AccessFlag.LOCAL_WRITE);
        memory.segment().setString(0, text);
        assertTrue(connection
                .queuePair()
                .tryPost(SendRequest.prepare(memory.region()).range(0, 64)));
    }

    @Test
    void shouldConnectTellEachOtherAndCarryMessages() throws InterruptedException {
        try (Listener listener = listener(config -> config.admission(request -> Admission.accept(PrivateData.of(
                        "hello " + request.parameters().privateData().text())))
                .connections(setup -> setup.prepare(ConnectionTest::postReceive)))) {
            InetSocketAddress to = listener.localAddress();
            Task<String> client = Task.start(() -> {
                try (Connection connection = connect(
                        to,
                        setup -> setup.prepare(ConnectionTest::postReceive)
                                .queuePair(config -> config.maxSendWr(8).maxRecvWr(8))
                                .completions(16)
                                .ackTimeout(14)
                                .typeOfService(0x28)
                                .parameters(config -> config.privateData(PrivateData.of("client"))
                                        .rnrRetryCount(5)))) {
                    assertEquals("hello client", connection.privateData().text());
                    assertEquals(to, connection.peerAddress());
                    // TCP has its own way to wait for acknowledgements.
                    assertEquals(
                            Rendezvous.isIwarp() ? 0 : 14,
                            connection.queuePair().query().timeout());
                    send(connection, "ping");
                    return received(connection);
                }
            });
            try (Connection connection = listener.accept(DEADLINE)) {
                assertEquals("client", connection.privateData().text());
                assertEquals(
                        Rendezvous.isIwarp() ? 0 : 5, connection.parameters().rnrRetryCount());
                assertEquals(
                        Rendezvous.isIwarp() ? 0 : 6, connection.parameters().retryCount());
                assertEquals(Rendezvous.near(), connection.peerAddress().getAddress());
                assertEquals("ping", received(connection));
                send(connection, "pong");
                assertEquals("pong", client.get());
                CmException end = connection.awaitEnd(DEADLINE);
                assertEquals(Failure.DISCONNECTED, end.failure());
                assertFalse(connection.isConnected());
            }
        }
    }

    @Test
    void shouldTellOfTheEndWhenAllIsFlushed() throws InterruptedException {
        try (Listener listener = listener(config -> config.connections(c -> c.prepare(ConnectionTest::postReceive)))) {
            InetSocketAddress to = listener.localAddress();
            Task<Connection> client = Task.start(() -> connect(to));
            try (Connection connection = listener.accept(DEADLINE)) {
                WorkCompletions done = WorkCompletions.allocate(4);
                assertEquals(0, connection.await(done, Duration.ofMillis(50)));
                assertTrue(connection.isConnected());
                assertNull(connection.awaitEnd(Duration.ofMillis(1)));
                client.get().close();
                assertEquals(1, connection.await(done, DEADLINE));
                assertEquals(CompletionStatus.WR_FLUSH_ERR, done.status(0));
                var e = assertThrows(CmException.class, () -> connection.await(done, DEADLINE));
                assertEquals(Failure.DISCONNECTED, e.failure());
                assertEquals("RDMA_CM_EVENT_DISCONNECTED", e.call());
                connection.disconnect();
            }
        }
    }

    @Test
    void shouldTellOfTheEndThatThisSideHasMade() throws InterruptedException {
        try (Listener listener = listener(config -> config.connections(c -> c.prepare(ConnectionTest::postReceive)))) {
            InetSocketAddress to = listener.localAddress();
            Task<Connection> client = Task.start(() -> connect(to));
            try (Connection connection = listener.accept(DEADLINE)) {
                connection.disconnect();
                WorkCompletions done = WorkCompletions.allocate(4);
                assertEquals(1, connection.await(done, DEADLINE));
                assertEquals(CompletionStatus.WR_FLUSH_ERR, done.status(0));
                var e = assertThrows(CmException.class, () -> connection.await(done, DEADLINE));
                assertEquals(Failure.DISCONNECTED, e.failure());
                assertTrue(e.getMessage().contains("by this side"), e.getMessage());
            }
            client.get().close();
        }
    }

    @Test
    void shouldSayWhoRejectedAndWhy() throws InterruptedException {
        try (Listener listener =
                listener(config -> config.admission(r -> Admission.reject(PrivateData.of("no room"))))) {
            InetSocketAddress to = listener.localAddress();
            Task<Connection> client = Task.start(() -> connect(to));
            do {
                var e = assertThrows(CmException.class, () -> listener.accept(Duration.ofSeconds(3)));
                assertEquals(Failure.TIMED_OUT, e.failure());
            } while (!client.isDone());
            var rejected = assertInstanceOf(CmException.class, client.failure());
            assertEquals(Failure.REJECTED, rejected.failure());
            assertEquals("no room", PrivateData.of(rejected.privateData()).text());
            String said = Rendezvous.isIwarp()
                    ? "CONNECTION_RESET (-104): nobody listens there, or the program said no"
                    : "CONSUMER_DEFINED (28): the program there said no";
            assertTrue(rejected.getMessage().contains(said), rejected.getMessage());
        }
    }

    @Test
    void shouldSayThatNobodyListens() {
        var to = new InetSocketAddress(Rendezvous.far(), 9);
        var e = assertThrows(CmException.class, () -> connect(to));
        assertEquals(Failure.REJECTED, e.failure());
        if (Rendezvous.isIwarp()) {
            assertEquals("rdma_connect", e.call());
            assertEquals("ECONNREFUSED", e.errnoName());
        } else {
            assertEquals(8, e.status());
        }
        assertTrue(e.getMessage().contains("nobody listens at that address and port"), e.getMessage());
    }

    @Test
    void shouldSayThatNobodyIsThere() throws UnknownHostException {
        byte[] bytes = Rendezvous.far().getAddress();
        bytes[bytes.length - 1] = (byte) 0xfd;
        var to = new InetSocketAddress(InetAddress.getByAddress(bytes), 1);
        var e = assertThrows(CmException.class, () -> Connector.connect(to, Duration.ofSeconds(1)));
        assertTrue(e.failure() == Failure.UNREACHABLE || e.failure() == Failure.TIMED_OUT, e.toString());
    }

    @Test
    void shouldGiveUpOnAPeerThatDoesNotAnswer() {
        try (var meeting = new Rendezvous()) {
            ConnectionId silent = meeting.listener(PortSpace.TCP); // nobody takes the events of this one
            long start = System.nanoTime();
            var e = assertThrows(
                    CmException.class, () -> Connector.connect(silent.localAddress(), Duration.ofSeconds(2)));
            assertEquals(Failure.TIMED_OUT, e.failure());
            assertTrue(System.nanoTime() - start < 60_000_000_000L); // SoftiWARP takes ten to close its side
        }
    }

    @Test
    void shouldSayThatThePortIsTaken() {
        try (Listener listener = listener(config -> {})) {
            var e = assertThrows(CmException.class, () -> Listener.bind(listener.localAddress()));
            assertEquals(Failure.ADDRESS_IN_USE, e.failure());
        }
    }

    @Test
    void shouldBeInterruptible() throws InterruptedException {
        try (var meeting = new Rendezvous();
                Listener listener = listener(config -> {})) {
            ConnectionId silent = meeting.listener(PortSpace.TCP);
            Task<Connection> connecting = Task.start(() -> connect(silent.localAddress()));
            Task<Connection> accepting = Task.start(() ->
                    Listener.bind(new InetSocketAddress(Rendezvous.far(), 0)).accept());
            Thread.sleep(500); // some are in one wait then, some in another: all end
            connecting.interrupt();
            accepting.interrupt();
            assertInstanceOf(InterruptedException.class, connecting.failure());
            assertInstanceOf(InterruptedException.class, accepting.failure());
            assertNotNull(listener.localAddress());
        }
    }

    @Test
    void shouldAcceptOthersWhilePeersDoNotFinish() throws InterruptedException {
        try (var hostile = new Rendezvous();
                Listener listener = listener(config -> config.handshakeTimeout(Duration.ofSeconds(10)))) {
            ConnectionId stranger = hostile.id(PortSpace.TCP);
            stranger.bind(new InetSocketAddress(Rendezvous.near(), 0));
            List<ConnectionId> ids = new ArrayList<>();
            for (int i = 0; i < 10; i++) { // they ask, and never take the answer
                ConnectionId id = hostile.resolved(PortSpace.TCP, listener.localAddress());
                hostile.queuePair(id);
                ids.add(id);
            }
            ids.forEach(id -> id.connect(config -> {})); // at once: SoftiWARP waits ten seconds for an answer
            InetSocketAddress to = listener.localAddress();
            Task<Connection> client =
                    Task.start(() -> connect(to, setup -> setup.parameters(c -> c.privateData(PrivateData.of("me")))));
            List<Connection> strangers = new ArrayList<>();
            Connection connection = listener.accept(DEADLINE);
            while (!connection.privateData().text().equals("me")) {
                strangers.add(connection);
                connection = listener.accept(DEADLINE);
            }
            try (Connection mine = connection;
                    Connection other = client.get()) {
                assertTrue(mine.isConnected());
                assertTrue(other.isConnected());
            }
            // On iWARP, a side that has answered is connected, whether or not the peer takes the answer.
            while (strangers.size() < (Rendezvous.isIwarp() ? 10 : 0)) {
                strangers.add(listener.accept(DEADLINE));
            }
            var e = assertThrows(CmException.class, () -> listener.accept(Duration.ofSeconds(12)));
            assertEquals(Failure.TIMED_OUT, e.failure());
            assertEquals(Rendezvous.isIwarp() ? 10 : 0, strangers.size());
            strangers.forEach(Connection::close);
        }
    }

    private static Connection acceptUntilNoneComes(Listener listener) throws InterruptedException {
        try {
            return listener.accept(Duration.ofSeconds(2));
        } catch (CmException e) {
            assertEquals(Failure.TIMED_OUT, e.failure());
            return null;
        }
    }

    @Test
    void shouldRejectMoreHandshakesThanItWants() throws InterruptedException {
        try (var hostile = new Rendezvous();
                Listener listener = listener(config -> config.maxHandshakes(2))) {
            List<ConnectionId> ids = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                ConnectionId id = hostile.resolved(PortSpace.TCP, listener.localAddress());
                hostile.queuePair(id);
                id.connect(config -> {});
                ids.add(id);
            }
            if (Rendezvous.isIwarp()) { // where no handshake waits for the peer, so all that were begun are connected
                int accepted = 0;
                for (Connection one = acceptUntilNoneComes(listener); one != null; accepted++) {
                    one.close();
                    one = acceptUntilNoneComes(listener);
                }
                int rejected = 0;
                for (ConnectionId id : ids) {
                    rejected += hostile.expect(id, CmEvent.class) instanceof CmEvent.Rejected ? 1 : 0;
                }
                assertEquals(4, accepted + rejected);
                assertTrue(accepted >= 2, "rejected too many");
                return;
            }
            assertThrows(CmException.class, () -> listener.accept(Duration.ofSeconds(2)));
            hostile.expect(ids.get(2), CmEvent.Rejected.class);
            hostile.expect(ids.get(3), CmEvent.Rejected.class);
        }
    }

    @Test
    void shouldRejectARequestWhoseAdmissionFails() throws InterruptedException {
        try (Listener listener = listener(config -> config.admission(request -> {
            if (request.parameters().privateData().text().equals("bad")) {
                throw new NumberFormatException("what the peer sent is no number");
            }
            return Admission.accept();
        }))) {
            InetSocketAddress to = listener.localAddress();
            Task<Connection> bad =
                    Task.start(() -> connect(to, setup -> setup.parameters(c -> c.privateData(PrivateData.of("bad")))));
            assertThrows(NumberFormatException.class, () -> listener.accept(DEADLINE));
            assertEquals(
                    Failure.REJECTED,
                    assertInstanceOf(CmException.class, bad.failure()).failure());
            Task<Connection> good = Task.start(() -> connect(to));
            listener.accept(DEADLINE).close();
            good.get().close();
        }
    }

    @Test
    void shouldRefuseToWaitWhileItIsPrepared() throws InterruptedException {
        List<String> refused = new ArrayList<>();
        Consumer<ConnectionSetup> waiting = setup -> setup.prepare(connection -> {
            var done = WorkCompletions.allocate(1);
            List<Executable> calls = List.of(
                    connection::isConnected,
                    connection::disconnect,
                    () -> connection.awaitEnd(DEADLINE),
                    () -> connection.await(done, DEADLINE));
            calls.forEach(call ->
                    refused.add(assertThrows(IllegalStateException.class, call).getMessage()));
        });
        try (Listener listener = listener(config -> config.connections(waiting))) {
            Task<Connection> client = Task.start(() -> connect(listener.localAddress(), waiting));
            listener.accept(DEADLINE).close();
            client.get().close();
        }
        assertEquals(8, refused.size());
        refused.forEach(message -> assertTrue(message.contains(" is still connecting: "), message));
    }

    @Test
    void shouldCloseWhatWasPreparedBeforeThePreparationFailed() throws InterruptedException {
        List<RegisteredMemory> prepared = new ArrayList<>();
        Consumer<ConnectionSetup> failing = setup -> setup.prepare(connection -> {
            postReceive(connection);
            prepared.add((RegisteredMemory) connection.id().attachment());
            throw new UnsupportedOperationException("of the preparation");
        });
        try (Listener listener = listener(config -> config.connections(failing))) {
            InetSocketAddress to = listener.localAddress();
            var here = assertThrows(UnsupportedOperationException.class, () -> connect(to, failing));
            assertEquals(0, here.getSuppressed().length);
            Task<Connection> client = Task.start(() -> connect(to));
            var there = assertThrows(UnsupportedOperationException.class, () -> listener.accept(DEADLINE));
            assertEquals(0, there.getSuppressed().length);
            assertInstanceOf(CmException.class, client.failure());
        }
        assertEquals(2, prepared.size());
        prepared.forEach(memory -> {
            assertThrows(
                    IllegalStateException.class,
                    () -> memory.region().protectionDomain().allocate(64));
            assertThrows(IllegalStateException.class, () -> memory.segment().get(ValueLayout.JAVA_BYTE, 0));
        });
    }

    @Test
    void shouldDropAHandshakeThatEndsWithTooManyOpenFiles() {
        ChildJvm.Result result = new ChildJvm()
                .under("prlimit", "--nofile=256:256")
                .options("--enable-native-access=ALL-UNNAMED")
                .run(WithTooManyFiles.class);
        assertEquals(0, result.status(), result.output());
    }

    /** Accepts with a descriptor for the connection's channel, and then without. */
    static final class WithTooManyFiles {

        private static final List<FileInputStream> FILES = new ArrayList<>();

        private WithTooManyFiles() {}

        private static void openAll() {
            try {
                while (true) {
                    FILES.add(new FileInputStream("/dev/null"));
                }
            } catch (FileNotFoundException e) {
                if (!e.getMessage().contains("Too many open files")) {
                    throw new AssertionError(e);
                }
            }
        }

        private static void closeAll() {
            for (FileInputStream file : FILES) {
                try {
                    file.close();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
            FILES.clear();
        }

        private static boolean accepts(Consumer<Connection> preparation) throws InterruptedException {
            var over = new CountDownLatch(1);
            try (Listener listener = listener(config -> config.connections(setup -> setup.prepare(preparation)))) {
                InetSocketAddress to = listener.localAddress();
                Task<Boolean> client = Task.start(() -> connects(to, over));
                boolean accepted = accepts(listener);
                over.countDown();
                assertTrue(client.get());
                return accepted;
            } finally { // the listener has closed what it has not given away, or has thrown
                over.countDown();
            }
        }

        private static boolean accepts(Listener listener) throws InterruptedException {
            try {
                listener.accept(DEADLINE).close();
                return true;
            } catch (RdmaException e) {
                closeAll();
                assertTrue(e.getMessage().contains("EMFILE"), e.getMessage());
                return false;
            }
        }

        /** A client that opens no file once it connects. */
        private static boolean connects(InetSocketAddress to, CountDownLatch over) throws InterruptedException {
            try (EventChannel channel = EventChannel.open();
                    ConnectionId id = channel.createId(PortSpace.TCP)) {
                id.resolveAddress(new InetSocketAddress(Rendezvous.near(), 0), to, Duration.ofSeconds(10));
                assertInstanceOf(CmEvent.AddressResolved.class, channel.await(DEADLINE));
                id.resolveRoute(Duration.ofSeconds(10));
                assertInstanceOf(CmEvent.RouteResolved.class, channel.await(DEADLINE));
                try (var pd = id.device().allocateProtectionDomain();
                        var completions = id.device().createCompletionQueue(4);
                        var _ = id.createQueuePair(pd, completions, completions, config -> {})) {
                    id.connect(config -> {});
                    boolean connected = channel.await(DEADLINE) instanceof CmEvent.Established;
                    over.await();
                    return connected;
                }
            }
        }

        public static void main(String[] args) throws Exception {
            // These load the classes, for which there is no descriptor later.
            assertTrue(accepts(connection -> {}));
            var elsewhere = new InetSocketAddress(InetAddress.getByAddress(new byte[] {(byte) 198, 51, 100, 1}), 0);
            assertThrows(CmException.class, () -> Listener.bind(elsewhere));
            assertFalse(accepts(connection -> openAll()));
        }
    }

    @Test
    void shouldCloseWhatNobodyAccepted() throws InterruptedException {
        Listener listener = listener(config -> {});
        InetSocketAddress to = listener.localAddress();
        Task<Connection> first = Task.start(() -> connect(to));
        Task<Connection> second = Task.start(() -> connect(to));
        Connection accepted = listener.accept(DEADLINE);
        listener.close();
        listener.close();
        assertThrows(IllegalStateException.class, () -> listener.accept(DEADLINE));
        assertTrue(accepted.isConnected());
        accepted.close();
        accepted.close();
        int connected = 0;
        for (Task<Connection> task : List.of(first, second)) {
            try (Connection connection = task.get()) {
                assertNotNull(connection.awaitEnd(DEADLINE));
                connected++;
            } catch (AssertionError e) {
                assertInstanceOf(CmException.class, e.getCause());
            }
        }
        assertTrue(connected >= 1);
    }

    /** Calls every public method from another thread. */
    @Test
    void shouldRefuseTheConnectionsOfAnotherThread() throws Exception {
        try (Listener listener = listener(config -> {})) {
            InetSocketAddress to = listener.localAddress();
            Task<Connection> client = Task.start(() -> connect(to));
            try (Connection connection = listener.accept(DEADLINE)) {
                Map<Class<?>, Object> arguments = Map.of(
                        Duration.class,
                        Duration.ZERO,
                        Thread.class,
                        new Thread(),
                        long.class,
                        64L,
                        AccessFlag[].class,
                        new AccessFlag[0],
                        AutoCloseable.class,
                        (AutoCloseable) () -> {},
                        WorkCompletions.class,
                        WorkCompletions.allocate(1));
                OtherThread.assertRefused(listener, arguments, "localAddress/0");
                OtherThread.assertRefused(
                        connection,
                        arguments,
                        "queuePair/0",
                        "completions/0",
                        "protectionDomain/0",
                        "id/0",
                        "privateData/0",
                        "parameters/0",
                        "localAddress/0",
                        "peerAddress/0");
                assertTrue(connection.isConnected());
                client.get().close();
            }
        }
    }

    @Test
    void shouldBelongToTheThreadItIsHandedTo() throws InterruptedException {
        try (Listener listener = listener(config -> {})) {
            InetSocketAddress to = listener.localAddress();
            Task<Connection> client = Task.start(() -> connect(to));
            Connection connection = listener.accept(DEADLINE);
            var done = WorkCompletions.allocate(1);
            Task<Integer> stranger = Task.start(() -> connection.await(done, Duration.ZERO));
            assertInstanceOf(WrongThreadException.class, stranger.failure());
            Thread next = Thread.ofPlatform().unstarted(connection::close);
            connection.handOver(next);
            assertThrows(WrongThreadException.class, connection::close);
            next.start();
            next.join();
            try (Connection other = client.get()) {
                assertNotNull(other.awaitEnd(DEADLINE));
            }
        }
    }

    @Test
    void shouldRefuseValuesThatMakeNoSense() {
        var address = new InetSocketAddress(Rendezvous.far(), 0);
        assertThrows(IllegalArgumentException.class, () -> Connector.connect(address, Duration.ZERO));
        assertThrows(IllegalArgumentException.class, () -> Listener.bind(address, config -> config.backlog(0)));
        assertThrows(IllegalArgumentException.class, () -> Listener.bind(address, config -> config.maxHandshakes(0)));
        assertThrows(
                IllegalArgumentException.class,
                () -> Listener.bind(address, config -> config.handshakeTimeout(Duration.ZERO)));
        assertThrows(
                IllegalArgumentException.class,
                () -> Listener.bind(address, config -> config.connections(setup -> setup.completions(0))));
    }
}
