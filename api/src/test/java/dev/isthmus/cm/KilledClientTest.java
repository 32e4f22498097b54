// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.CmException;
import dev.isthmus.CmException.Failure;
import dev.isthmus.cm.MortalPeer.Stage;
import dev.isthmus.testbed.CProgram;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.verbs.CompletionStatus;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.ReceiveRequest;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What a server sees of a client whose process is killed in some phase. The client's kernel reports it, so nobody waits
 * for long.
 */
@Tag("device")
@Tag("iwarp")
@Tag("extended")
class KilledClientTest {

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

    @Test
    void shouldNotBotherAListenerWithClientsThatAreKilledBeforeItLooks() throws Exception {
        try (Listener listener = Listener.bind(new InetSocketAddress(Rendezvous.far(), 0))) {
            for (Stage stage : new Stage[] {Stage.CLIENT_RESOLVING, Stage.CLIENT_RESOLVED, Stage.CLIENT_CONNECTING}) {
                try (MortalPeer peer = MortalPeer.start(program, stage, listener.localAddress())) {
                    peer.awaitThere();
                    long killed = peer.kill();
                    peer.awaitEnd();
                    MortalPeer.tell(stage.name(), "its end", killed);
                }
            }
            var e = assertThrows(CmException.class, () -> listener.accept(Duration.ofSeconds(2)));
            assertEquals(Failure.TIMED_OUT, e.failure());
            Task<Connection> next = Task.start(() -> Connector.connect(listener.localAddress(), DEADLINE));
            try (var there = listener.accept(DEADLINE);
                    var here = next.get()) {
                assertTrue(there.isConnected() && here.isConnected());
            }
        }
    }

    @Test
    void shouldDropAClientThatIsKilledBeforeItsRequestIsAnswered() throws Exception {
        try (var meeting = new Rendezvous()) {
            ConnectionId listener = meeting.listener(PortSpace.TCP);
            try (MortalPeer peer = MortalPeer.start(program, Stage.CLIENT_CONNECTING, listener.localAddress())) {
                peer.awaitThere();
                ConnectionId id =
                        meeting.expect(listener, CmEvent.ConnectRequest.class).id();
                long killed = peer.kill();
                peer.awaitEnd();
                try {
                    meeting.queuePair(id);
                    id.accept(config -> {});
                } catch (CmException e) {
                    MortalPeer.tell("client, its request not answered", e.errnoName(), killed);
                    assertEquals(Rendezvous.isIwarp() ? "ECONNRESET" : "EINVAL", e.errnoName());
                    return; // its kernel has reported it already, so no event comes
                }
                CmEvent event = meeting.expect(id, CmEvent.class);
                MortalPeer.tell("client, its request not answered", event.type(), killed);
                assertTrue(
                        event instanceof CmEvent.Rejected
                                || event instanceof CmEvent.Unreachable
                                || event instanceof CmEvent.Disconnected,
                        event.toString());
            }
        }
    }

    @Test
    void shouldTellOfAClientThatIsKilledWhenItIsAcceptedButHasNotTakenIt() throws Exception {
        try (var meeting = new Rendezvous()) {
            ConnectionId listener = meeting.listener(PortSpace.TCP);
            try (MortalPeer peer = MortalPeer.start(program, Stage.CLIENT_CONNECTING, listener.localAddress())) {
                ConnectionId id = accept(meeting, listener);
                peer.awaitThere();
                if (Rendezvous.isIwarp()) { // which does not wait for the peer
                    meeting.expect(id, CmEvent.Established.class);
                }
                long killed = peer.kill();
                CmEvent event = meeting.expect(id, CmEvent.class);
                MortalPeer.tell("client, accepted, but it has not taken that", event.type(), killed);
                Class<?> expected = Rendezvous.isIwarp() ? CmEvent.Disconnected.class : CmEvent.Rejected.class;
                assertInstanceOf(expected, event);
            }
        }
    }

    private static ConnectionId accept(Rendezvous meeting, ConnectionId listener) {
        ConnectionId id = meeting.expect(listener, CmEvent.ConnectRequest.class).id();
        meeting.queuePair(id);
        id.accept(config -> {});
        return id;
    }

    @Test
    void shouldTellOfAClientThatIsKilledOnceConnected() throws Exception {
        try (Listener listener = Listener.bind(new InetSocketAddress(Rendezvous.far(), 0));
                MortalPeer peer = MortalPeer.start(program, Stage.CLIENT_CONNECTED, listener.localAddress());
                Connection connection = listener.accept(DEADLINE)) {
            peer.awaitThere();
            MortalPeer.awaitEnd("client, connected, idle", connection, peer.kill());
        }
    }

    @Test
    void shouldTellOfAClientThatIsKilledAmidItsTransfers() throws Exception {
        try (var meeting = new Rendezvous()) {
            ConnectionId listener = meeting.listener(PortSpace.TCP);
            Stage stage = Rendezvous.isIwarp() ? Stage.CLIENT_WRITING : Stage.CLIENT_SENDING;
            try (MortalPeer peer = MortalPeer.start(program, stage, listener.localAddress())) {
                ConnectionId id =
                        meeting.expect(listener, CmEvent.ConnectRequest.class).id();
                meeting.queuePair(id);
                MemoryRegion lent = MortalPeer.region(meeting, id);
                ReceiveRequest receive = ReceiveRequest.prepare(lent);
                MortalPeer.post(id.queuePair(), receive);
                id.accept(config -> config.privateData(MortalPeer.grant(lent)));
                peer.awaitThere();
                for (int i = 0; stage == Stage.CLIENT_SENDING && i < 20; i++) {
                    meeting.awaitSuccess(id);
                    MortalPeer.post(id.queuePair(), receive);
                }
                long killed = peer.kill();
                meeting.expect(id, CmEvent.Disconnected.class);
                MortalPeer.tell("client, " + stage, CmEventType.DISCONNECTED, killed);
                MortalPeer.post(id.queuePair(), receive); // the one before may have been used up
                id.disconnect();
                CompletionStatus status = meeting.awaitOne(id).status(0);
                while (status == CompletionStatus.SUCCESS) {
                    status = meeting.awaitOne(id).status(0);
                }
                assertEquals(CompletionStatus.WR_FLUSH_ERR, status);
            }
        }
    }

    @Test
    void shouldTellOfAClientThatIsKilledBeforeItAnswersADisconnect() throws Exception {
        try (var meeting = new Rendezvous()) {
            ConnectionId listener = meeting.listener(PortSpace.TCP);
            try (MortalPeer peer = MortalPeer.start(program, Stage.CLIENT_CONNECTED, listener.localAddress())) {
                ConnectionId id = accept(meeting, listener);
                meeting.expect(id, CmEvent.Established.class);
                peer.awaitThere();
                id.disconnect();
                long killed = peer.kill();
                meeting.expect(id, CmEvent.Disconnected.class);
                MortalPeer.tell("client, asked to disconnect", CmEventType.DISCONNECTED, killed);
            }
        }
    }
}
