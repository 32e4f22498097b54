// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.CmException;
import dev.isthmus.CmException.Failure;
import dev.isthmus.cm.MortalPeer.Stage;
import dev.isthmus.testbed.CProgram;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.verbs.CompletionStatus;
import dev.isthmus.verbs.Descriptors;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What a client sees of a server whose process is killed in some phase. The server's kernel reports it, so nobody waits
 * for long.
 */
@Tag("device")
@Tag("iwarp")
@Tag("extended")
class KilledServerTest {

    private static final Duration DEADLINE = TestDeadlines.ofSeconds(120);

    private static CProgram program;

    @BeforeAll
    static void compile() {
        program = MortalPeer.compile();
    }

    @AfterAll
    static void delete() {
        program.close();
    }

    /** An address on which nobody listens yet. */
    private static InetSocketAddress free() {
        try (var free = Listener.bind(new InetSocketAddress(Rendezvous.far(), 0))) {
            return free.localAddress();
        }
    }

    @Test
    void shouldSayThatAServerWasKilledBeforeOrWhileItWasAsked() throws Exception {
        InetSocketAddress at = free();
        try (MortalPeer peer = MortalPeer.start(program, Stage.SERVER_LISTENING, at)) {
            peer.awaitThere();
            peer.kill();
            peer.awaitEnd();
            var nobody = assertThrows(CmException.class, () -> Connector.connect(at, DEADLINE));
            assertEquals(Failure.REJECTED, nobody.failure());
        }
        try (MortalPeer peer = MortalPeer.start(program, Stage.SERVER_REQUESTED, at)) {
            peer.awaitReady();
            Task<Connection> client = Task.start(() -> Connector.connect(at, DEADLINE));
            peer.awaitThere();
            long killed = peer.kill();
            var e = assertInstanceOf(CmException.class, client.failure());
            MortalPeer.tell("server, asked", e.failure(), killed);
            assertEquals(Failure.REJECTED, e.failure());
        }
    }

    @Test
    void shouldTellOfAServerThatIsKilledBeforeItsAcceptanceIsTaken() throws Exception {
        InetSocketAddress at = free();
        try (MortalPeer peer = MortalPeer.start(program, Stage.SERVER_ACCEPTED, at);
                var meeting = new Rendezvous()) {
            peer.awaitReady();
            ConnectionId id = asking(meeting, at);
            peer.awaitThere();
            assertTrue(Descriptors.isReadable(meeting.channel.fileDescriptor(), 30_000));
            long killed = peer.kill();
            CmEvent event = meeting.expect(id, CmEvent.class);
            if (event instanceof CmEvent.Established) { // the event was taken before the peer's kernel reported its end
                event = meeting.expect(id, CmEvent.class);
                assertTrue(
                        event instanceof CmEvent.Disconnected || event instanceof CmEvent.Rejected, event.toString());
            } else {
                assertInstanceOf(CmEvent.ConnectError.class, event);
            }
            MortalPeer.tell("server, which has accepted", event.type(), killed);
        }
    }

    private static ConnectionId asking(Rendezvous meeting, InetSocketAddress at) {
        ConnectionId id = meeting.resolved(PortSpace.TCP, at);
        meeting.queuePair(id);
        id.connect(config -> {});
        return id;
    }

    @Test
    void shouldTellOfAServerThatIsKilledOnceConnected() throws Exception {
        InetSocketAddress at = free();
        try (MortalPeer peer = MortalPeer.start(program, Stage.SERVER_CONNECTED, at)) {
            peer.awaitReady();
            try (Connection connection = Connector.connect(at, DEADLINE)) {
                peer.awaitThere();
                MortalPeer.awaitEnd("server, connected, idle", connection, peer.kill());
            }
        }
    }

    @Test
    void shouldTellOfAServerThatIsKilledAmidTransfersToIt() throws Exception {
        InetSocketAddress at = free();
        try (MortalPeer peer = MortalPeer.start(program, Stage.SERVER_RECEIVING, at)) {
            peer.awaitReady();
            try (Connection connection = Connector.connect(at, DEADLINE)) {
                MemoryRegion region = connection.allocate(4096).region();
                SendRequest write = MortalPeer.write(region, connection.privateData());
                SendRequest send = Rendezvous.isIwarp() ? write : MortalPeer.send(region); // which would have to wait
                peer.awaitThere();
                for (int i = 0; i < 10; i++) {
                    assertEquals(CompletionStatus.SUCCESS, transfer(connection, write));
                    assertEquals(CompletionStatus.SUCCESS, transfer(connection, send));
                }
                long killed = peer.kill();
                CompletionStatus status = transfer(connection, write);
                for (int i = 0; status == CompletionStatus.SUCCESS; i++) {
                    status = transfer(connection, i % 2 == 0 ? send : write);
                }
                MortalPeer.tell("server amid SEND and RDMA WRITE to it", status, killed);
                assertNotEquals(CompletionStatus.SUCCESS, status);
                MortalPeer.awaitEnd("server amid SEND and RDMA WRITE to it", connection, killed);
            }
        }
    }

    /**
     * Posts a request, and waits until it completes, as it also does if the connection has ended. SoftiWARP of Linux
     * 6.1 can forget requests that are posted then; the result is null.
     */
    private static CompletionStatus transfer(Connection connection, SendRequest request) throws InterruptedException {
        var done = WorkCompletions.allocate(1);
        assertTrue(connection.queuePair().tryPost(request));
        long end = System.nanoTime() + DEADLINE.toNanos();
        int completed = 0;
        while (completed == 0 && System.nanoTime() - end < 0) {
            try {
                completed = connection.await(done, Duration.ofSeconds(1));
            } catch (CmException e) {
                assertEquals(Failure.DISCONNECTED, e.failure());
                if (Rendezvous.isIwarp()) {
                    return null;
                }
            }
        }
        assertEquals(1, completed);
        return done.status(0);
    }

    @Test
    void shouldTellOfAServerThatIsKilledBeforeItAnswersADisconnect() throws Exception {
        InetSocketAddress at = free();
        try (MortalPeer peer = MortalPeer.start(program, Stage.SERVER_CONNECTED, at);
                var meeting = new Rendezvous()) {
            peer.awaitReady();
            ConnectionId id = asking(meeting, at);
            meeting.expect(id, CmEvent.Established.class);
            peer.awaitThere();
            id.disconnect();
            long killed = peer.kill();
            meeting.expect(id, CmEvent.Disconnected.class);
            MortalPeer.tell("server, asked to disconnect", CmEventType.DISCONNECTED, killed);
        }
    }
}
