package dev.isthmus.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.CmException;
import dev.isthmus.CmException.Failure;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.AddressHandle;
import dev.isthmus.verbs.GlobalRouteHeader;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.RegisteredMemory;
import dev.isthmus.verbs.SendOpcode;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The C programs of rdma-core as peers, in both roles. rping is a sample's peer. */
@Tag("device")
class InteropTest {

    private static final Duration DEADLINE = Duration.ofSeconds(30);
    private static final int MESSAGE = 16; // of rdma_server and rdma_client
    private static final int DATAGRAM = 100; // of udaddy
    private static final int HEADER = 40;
    private static final int UDADDY = 7174; // its port, which cannot be set

    private static InetSocketAddress free(PortSpace space) {
        try (var channel = EventChannel.open();
                var id = channel.createId(space)) {
            id.bind(new InetSocketAddress(Rendezvous.far(), 0));
            return id.localAddress();
        }
    }

    private static void postReceive(Connection connection) {
        RegisteredMemory memory = connection.allocate(MESSAGE, AccessFlag.LOCAL_WRITE);
        assertTrue(connection
                .queuePair()
                .tryPost(ReceiveRequest.prepare(memory.region()).wrId(1)));
    }

    private static void send(Connection connection) {
        RegisteredMemory memory = connection.allocate(MESSAGE);
        assertTrue(connection
                .queuePair()
                .tryPost(SendRequest.prepare(memory.region()).wrId(2).signaled(true)));
    }

    private static void await(Connection connection, long wrId) throws InterruptedException {
        WorkCompletions done = WorkCompletions.allocate(1);
        assertEquals(1, connection.await(done, DEADLINE));
        assertTrue(done.isSuccess(0), done.toString());
        assertEquals(wrId, done.wrId(0));
    }

    @Test
    void shouldServeRdmaClient() throws InterruptedException {
        try (Listener listener = Listener.bind(
                new InetSocketAddress(Rendezvous.far(), 0),
                config -> config.connections(setup -> setup.prepare(InteropTest::postReceive)))) {
            InetSocketAddress at = listener.localAddress();
            try (var client =
                            new CTool("rdma_client", "-s", at.getAddress().getHostAddress(), "-p", "" + at.getPort());
                    Connection connection = listener.accept(DEADLINE)) {
                await(connection, 1);
                send(connection);
                await(connection, 2);
                assertEquals(Failure.DISCONNECTED, connection.awaitEnd(DEADLINE).failure());
                client.ended(); // it has waited for the answer
            }
        }
    }

    @Test
    void shouldBeServedByRdmaServer() throws InterruptedException {
        InetSocketAddress at = free(PortSpace.TCP);
        try (var server = new CTool("rdma_server", "-s", at.getAddress().getHostAddress(), "-p", "" + at.getPort());
                Connection connection = whenItListens(at, server)) {
            send(connection);
            WorkCompletions done = WorkCompletions.allocate(1);
            for (int i = 0; i < 2; i++) { // the send, and the answer
                assertEquals(1, connection.await(done, DEADLINE));
                assertTrue(done.isSuccess(0), done.toString());
            }
            connection.disconnect();
            server.ended();
        }
    }

    private static Connection whenItListens(InetSocketAddress at, CTool server) throws InterruptedException {
        while (true) {
            try {
                return Connector.connect(at, DEADLINE, setup -> setup.prepare(InteropTest::postReceive));
            } catch (CmException e) {
                if (e.failure() != Failure.REJECTED || !server.isRunning()) {
                    throw new AssertionError("" + server.lines(), e);
                }
                Thread.sleep(50);
            }
        }
    }

    private static MemoryRegion region(Rendezvous meeting, ConnectionId id) {
        ProtectionDomain pd = meeting.domain(id.device());
        return meeting.closed(pd.register(Arena.ofAuto().allocate(4096), AccessFlag.LOCAL_WRITE));
    }

    @Test
    void shouldServeUdaddy() throws InterruptedException {
        try (var meeting = new Rendezvous()) {
            ConnectionId listener = meeting.id(PortSpace.UDP);
            listener.bind(new InetSocketAddress(Rendezvous.far(), UDADDY));
            listener.listen(8);
            try (var client = new CTool("udaddy", "-s", Rendezvous.far().getHostAddress(), "-C", "1")) {
                ConnectionId id =
                        meeting.expect(listener, CmEvent.DatagramRequest.class).id();
                meeting.queuePair(id);
                MemoryRegion region = region(meeting, id);
                assertTrue(id.queuePair().tryPost(ReceiveRequest.prepare(region)));
                id.accept(config -> {});
                WorkCompletions done = meeting.await(id);
                assertEquals(HEADER + DATAGRAM, done.byteLength(0));
                int peer = done.immediate(0);
                GlobalRouteHeader header = GlobalRouteHeader.of(region.segment(), 0);
                AddressHandle back = meeting.closed(
                        meeting.domain(id.device()).createAddressHandle(id.devicePort(), done, 0, header));
                assertTrue(id.queuePair()
                        .tryPost(SendRequest.prepare(region)
                                .opcode(SendOpcode.SEND_WITH_IMM)
                                .immediate(id.queuePair().qpNum())
                                .range(0, DATAGRAM)
                                .to(back, peer, 0x0123_4567))); // RDMA_UDP_QKEY
                assertTrue(
                        client.ended().contains("data transfers complete"),
                        client.lines().toString());
            }
        }
    }

    @Test
    void shouldBeServedByUdaddy() throws InterruptedException {
        var at = new InetSocketAddress(Rendezvous.far(), UDADDY);
        try (var server = new CTool("udaddy", "-b", at.getAddress().getHostAddress(), "-C", "1");
                var meeting = new Rendezvous()) {
            ConnectionId id = null;
            DatagramParameters to = null;
            while (to == null) {
                id = meeting.resolved(PortSpace.UDP, at);
                meeting.queuePair(id);
                id.connect(config -> {});
                CmEvent event = meeting.expect(id, CmEvent.class);
                assertTrue(server.isRunning(), () -> server.lines().toString());
                if (event instanceof CmEvent.DatagramEstablished(var same, var parameters)) {
                    to = parameters;
                }
            }
            MemoryRegion region = region(meeting, id);
            assertTrue(id.queuePair().tryPost(ReceiveRequest.prepare(region)));
            AddressHandle handle = meeting.closed(meeting.domain(id.device()).createAddressHandle(to.path()));
            assertTrue(id.queuePair()
                    .tryPost(SendRequest.prepare(region)
                            .opcode(SendOpcode.SEND_WITH_IMM)
                            .immediate(id.queuePair().qpNum())
                            .range(0, DATAGRAM)
                            .to(handle, to.qpNum(), to.qkey())));
            WorkCompletions done = meeting.await(id);
            assertEquals(HEADER + DATAGRAM, done.byteLength(0));
            server.ended();
        }
    }
}
