// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.RdmaUnavailableException;
import dev.isthmus.UcxException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("ucx")
class UcpListenerTest {

    private static String any() {
        return UcxTransports.withPeerErrors().findFirst().orElseThrow();
    }

    @Test
    void shouldSayWhyItCannotListenAtAnotherMachinesAddress() throws UnknownHostException {
        var foreign = new InetSocketAddress(InetAddress.getByAddress(new byte[] {(byte) 192, 0, 2, 1}), 0);
        try (var context = UcpContext.create(config -> config.set("TLS", "tcp,self"));
                var worker = context.createWorker()) {
            var e = assertThrows(
                    UcxException.class, () -> worker.createListener(foreign, UcpConnectionRequest::reject));
            assertTrue(e.getMessage().contains("one of this machine's"), e::getMessage);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#withPeerErrors")
    void shouldSayThatNobodyListens(String tls) throws IOException {
        try (var pair = new SocketPair(tls)) {
            InetSocketAddress nobody;
            try (var socket = new ServerSocket(0, 1, pair.listener.address().getAddress())) {
                nobody = new InetSocketAddress(socket.getInetAddress(), socket.getLocalPort());
            }
            UcpEndpoint endpoint = pair.connect(nobody, config -> {});
            UcxTransports.until(endpoint::isFailed, pair::progress);
            var e = assertThrows(UcxException.class, () -> endpoint.tagSend(pair.arena.allocate(8), 1));
            // Over TCP it is NOT_CONNECTED, or sometimes CONNECTION_RESET.
            String why = endpoint.failure() == UcsStatus.REJECTED ? "rejected" : "nothing listens at the address";
            assertTrue(e.getMessage().contains(why), e::getMessage);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#withPeerErrors")
    void shouldConnectClientToServer(String tls) {
        try (var pair = new SocketPair(tls)) {
            UcpEndpoint client = pair.connect(config -> config.sendClientId().name("to the server"));
            UcpConnectionRequest request = pair.request();
            assertEquals(OptionalLong.of(SocketPair.CLIENT_ID), request.clientId());
            assertTrue(request.isUndecided());
            UcpEndpoint server = pair.keep(request.accept());
            assertFalse(request.isUndecided());
            assertThrows(IllegalStateException.class, request::accept);
            assertThrows(IllegalStateException.class, request::reject);
            pair.exchange(client, server, 8);
            pair.exchange(client, server, 1 << 20);
            assertEquals(Optional.of(pair.listener.address()), client.remoteAddress());
            assertEquals(request.clientAddress(), client.localAddress());
            assertEquals(client.localAddress(), server.remoteAddress());
            // Only debug builds of UCX keep the name.
            assertTrue(client.name().matches("to the server|0x.*"), client.name());
            assertThrows(IllegalStateException.class, client::info);
            assertTrue(client.estimatedSeconds(1 << 20) > client.estimatedSeconds(1));
            assertThrows(IllegalArgumentException.class, () -> client.estimatedSeconds(-1));
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#withPeerErrors")
    void shouldTellClientThatItWasRejected(String tls) {
        try (var pair = new SocketPair(tls)) {
            UcpEndpoint client = pair.connect(config -> {});
            pair.request().reject();
            UcxTransports.until(client::isFailed, pair::progress);
            assertEquals(UcsStatus.REJECTED, client.failure());
            assertEquals(List.of(client), pair.failed);
            assertEquals(Optional.empty(), client.remoteAddress());
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#withPeerErrors")
    void shouldTellClientThatNobodyListens(String tls) {
        try (var pair = new SocketPair(tls)) {
            pair.listener.close();
            UcpEndpoint client = pair.connect(config -> {});
            UcxTransports.until(client::isFailed, pair::progress);
            assertTrue(client.failure().isError());
            // From UCX 1.16 on such a send never returned: the endpoint has no transport.
            var e = assertThrows(UcxException.class, () -> client.tagSend(pair.arena.allocate(8), 1));
            assertEquals(client.failureCode(), e.status());
            assertThrows(UcxException.class, client::flush);
        }
    }

    private static Stream<String> managersThatCannotBeUsed() {
        boolean hasRdmaCm = Files.exists(Path.of("/dev/infiniband/rdma_cm"));
        return Stream.of("nothing", "tpc,sockcm", "rdmacm", "tpc,rdmacm")
                .filter(m -> !hasRdmaCm || !m.contains("rdmacm"));
    }

    /** UCX has ended the process by an assertion or by SIGSEGV in such cases. */
    @ParameterizedTest
    @Tag("host")
    @MethodSource("managersThatCannotBeUsed")
    void shouldRefuseSocketAddressesWithoutAConnectionManager(String managers) {
        try (var context =
                        UcpContext.create(config -> config.set("TLS", any()).set("SOCKADDR_TLS_PRIORITY", managers));
                var worker = context.createWorker()) {
            InetSocketAddress at = UcxTransports.listenAddress();
            for (var e : List.of(
                    assertThrows(UcxException.class, () -> worker.createListener(at, request -> {})),
                    assertThrows(UcxException.class, () -> worker.createEndpoint(at, config -> {})))) {
                assertEquals(UcsStatus.UNSUPPORTED, UcsStatus.of(e.status()));
                assertTrue(e.getMessage().contains("SOCKADDR_TLS_PRIORITY=" + managers), e.getMessage());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "rdmacm,tcp", "*"})
    void shouldListenByAConnectionManagerThatWorks(String managers) {
        try (var context = UcpContext.create(config -> config.set("SOCKADDR_TLS_PRIORITY", managers));
                var worker = context.createWorker();
                var listener = worker.createListener(UcxTransports.listenAddress(), request -> {})) {
            assertTrue(listener.isOpen());
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#withPeerErrors")
    void shouldAcceptOnOtherWorkerOfTheThread(String tls) {
        try (var pair = new SocketPair(tls);
                var data = pair.context.createWorker()) {
            UcpEndpoint client = pair.connect(config -> {});
            UcpConnectionRequest request = pair.request();
            assertEquals(OptionalLong.empty(), request.clientId());
            try (var other = UcpContext.create(config -> config.set("TLS", tls));
                    var foreign = other.createWorker()) {
                assertThrows(IllegalArgumentException.class, () -> request.accept(foreign, config -> {}));
            }
            try (var server = request.accept(data, config -> config.name("on the data worker"))) {
                long send = server.tagSend(pair.arena.allocate(8), 1);
                long receive = pair.client.tagReceive(pair.arena.allocate(8), 1);
                UcxTransports.until(() -> pair.client.requests().isDone(receive), () -> {
                    data.progress();
                    pair.progress();
                });
                UcxTransports.until(() -> data.requests().isDone(send), data::progress);
                client.closeForcibly();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#withPeerErrors")
    void shouldRejectWhatIsUndecidedWhenClosed(String tls) {
        try (var pair = new SocketPair(tls)) {
            UcpEndpoint client = pair.connect(config -> {});
            UcpConnectionRequest request = pair.request();
            pair.listener.close();
            pair.listener.close();
            assertFalse(pair.listener.isOpen());
            assertThrows(IllegalStateException.class, request::accept);
            UcxTransports.until(client::isFailed, pair::progress);
            assertEquals(UcsStatus.REJECTED, client.failure());
        }
    }

    @Test
    void shouldKeepAcceptedEndpointsWhenClosed() {
        try (var pair = new SocketPair(any())) {
            UcpEndpoint client = pair.connect(config -> {});
            UcpEndpoint server = pair.keep(pair.request().accept());
            pair.listener.close();
            pair.exchange(client, server, 8);
        }
    }

    @Test
    void shouldRefuseAddressesThatCannotBe() {
        try (var pair = new SocketPair(any())) {
            UcpConnectionHandler nobody = request -> {};
            var e = assertThrows(UcxException.class, () -> pair.server.createListener(pair.listener.address(), nobody));
            assertEquals("ucp_listener_create", e.call());
            assertEquals(UcsStatus.BUSY, UcsStatus.of(e.status()));
            assertTrue(e.getMessage().endsWith("the port is in use"), e.getMessage());
            var unresolved = InetSocketAddress.createUnresolved("nowhere.invalid", 1);
            assertThrows(IllegalArgumentException.class, () -> pair.server.createListener(unresolved, nobody));
            assertThrows(IllegalArgumentException.class, () -> pair.client.createEndpoint(unresolved, config -> {}));
        }
    }

    @Test
    void shouldThrowWhatItsHandlerThrowsAndGoOn() {
        List<UcpConnectionRequest> requests = new ArrayList<>();
        try (var pair = new SocketPair(any());
                var listener = pair.server.createListener(UcxTransports.listenAddress(), request -> {
                    requests.add(request);
                    if (requests.size() == 1) {
                        throw new UnsupportedOperationException("of the handler");
                    }
                    pair.server.progress();
                    pair.keep(request.accept());
                })) {
            pair.connect(listener.address(), config -> {});
            var e = assertThrows(
                    UnsupportedOperationException.class, () -> UcxTransports.until(() -> false, pair::progress));
            assertEquals("of the handler", e.getMessage());
            UcpEndpoint second = pair.connect(listener.address(), config -> {});
            UcxTransports.until(() -> requests.size() == 2, pair::progress);
            pair.keep(requests.getFirst().accept());
            assertFalse(second.isFailed());
        }
    }

    @Test
    void shouldBeClosedByItsHandler() {
        try (var pair = new SocketPair(any())) {
            var listeners = new UcpListener[1];
            var decided = new ArrayList<UcpConnectionRequest>();
            listeners[0] = pair.server.createListener(UcxTransports.listenAddress(), request -> {
                pair.keep(request.accept());
                decided.add(request);
                listeners[0].close();
            });
            assertTrue(listeners[0].isOpen());
            pair.connect(listeners[0].address(), config -> {});
            UcxTransports.until(() -> !decided.isEmpty(), pair::progress);
            assertFalse(listeners[0].isOpen());
        }
    }

    @Test
    void shouldDeferCloseInsideCallback() {
        try (var pair = new SocketPair(any())) {
            pair.server.callbacks().enter();
            pair.listener.close();
            assertTrue(pair.listener.isOpen(), "C still has it");
            pair.server.callbacks().leave();
            pair.server.progress();
            assertFalse(pair.listener.isOpen());
        }
    }

    @Test
    void shouldRefuseToCloseWorkerBeforeListener() {
        try (var pair = new SocketPair(any())) {
            var e = assertThrows(IllegalStateException.class, pair.server::close);
            assertTrue(e.getMessage().contains("close first its 1 UcpListener"), e.getMessage());
        }
    }

    @Test
    void shouldConnectFromAnAddressOfItsOwn() {
        try (var pair = new SocketPair(any())) {
            InetSocketAddress local = UcxTransports.listenAddress();
            UcpEndpoint client = pair.connect(config -> config.localAddress(local));
            UcpEndpoint server = pair.keep(pair.request().accept());
            pair.exchange(client, server, 8);
            assertEquals(local.getAddress(), client.localAddress().orElseThrow().getAddress());
        }
    }

    @Test
    void shouldTellTransportsOrWhichVersionCan() {
        try (var pair = new SocketPair(any())) {
            UcpEndpoint client = pair.connect(config -> {});
            UcpEndpoint server = pair.keep(pair.request().accept());
            pair.exchange(client, server, 8);
            if (UcxVersion.loaded().minor() >= 14) {
                List<UcpTransport> transports = client.transports();
                assertFalse(transports.isEmpty());
                assertTrue(transports.stream().allMatch(t -> !t.name().isEmpty()), transports.toString());
            } else {
                var e = assertThrows(RdmaUnavailableException.class, client::transports);
                assertTrue(e.getMessage().contains("needs UCX 1.14"), e.getMessage());
            }
        }
    }

    @Test
    void shouldHaveNoSocketAddressesWithWorkerAddress() {
        try (var pair = new UcpPair(UcxTransports.any())) {
            assertEquals(Optional.empty(), pair.endpoint.localAddress());
            assertEquals(Optional.empty(), pair.endpoint.remoteAddress());
            assertFalse(pair.endpoint.name().isEmpty());
            assertTrue(pair.endpoint.info().contains("UCP endpoint"), pair.endpoint.info());
            try (var unlooped = pair.sender.createEndpoint(pair.sender.address(), UcpEndpointConfig::withoutLoopback)) {
                assertSame(UcsStatus.OK, unlooped.failure());
            }
        }
    }

    @Test
    void shouldConnectAndCloseManyTimes() {
        try (var pair = new SocketPair(any())) {
            MemorySegment buffer = pair.arena.allocate(8);
            long early = 0;
            for (int i = 0; i < 100; i++) {
                UcpEndpoint client = pair.connect(config -> {});
                UcpEndpoint server = pair.request().accept();
                pair.exchange(client, server, 8);
                if (i % 3 == 0) {
                    client.closeForcibly();
                    UcxTransports.until(server::isFailed, pair::progress);
                    server.close();
                } else if (i % 3 == 1) {
                    server.closeForcibly();
                    client.close();
                } else {
                    client.tagSend(buffer, 77);
                    client.closeForcibly();
                    server.closeForcibly();
                }
                for (int j = 0; j < 100; j++) {
                    pair.progress();
                }
                early = i == 20 ? SocketPair.openFiles() : early;
            }
            long most = early + 10;
            UcxTransports.until(() -> SocketPair.openFiles() <= most, pair::progress);
        }
    }
}
