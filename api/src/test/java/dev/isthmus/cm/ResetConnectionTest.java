// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.QueuePairState;
import dev.isthmus.verbs.QueuePairTransition;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendRequest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A queue pair of a connection whose owner resets it without librdmacm's knowledge. */
@Tag("device")
class ResetConnectionTest {

    private static void reset(QueuePair qp) {
        qp.modify(QueuePairTransition.to(QueuePairState.RESET));
    }

    private static CmEvent.ConnectRequest request(Rendezvous meeting, ConnectionId listener, ConnectionId active) {
        active.connect(config -> {});
        return meeting.expect(listener, CmEvent.ConnectRequest.class);
    }

    private static void assertTakesNothing(QueuePair qp) {
        assertThrows(IllegalStateException.class, () -> qp.post(ReceiveRequest.prepare(1)));
        assertThrows(IllegalStateException.class, () -> qp.post(SendRequest.prepare(1)));
        assertEquals(QueuePairState.RESET, qp.state());
    }

    @Test
    void shouldStayInResetThoughTheConnectionIsRejected() {
        try (var meeting = new Rendezvous()) {
            ConnectionId listener = meeting.listener(PortSpace.TCP);
            ConnectionId active = meeting.resolved(listener);
            QueuePair qp = meeting.queuePair(active);
            CmEvent.ConnectRequest request = request(meeting, listener, active);
            reset(qp);
            request.id().reject(PrivateData.NONE);
            meeting.expect(active, CmEvent.Rejected.class); // librdmacm would bring it to ERR, but the kernel does not
            assertTakesNothing(qp);
        }
    }

    @Test
    void shouldBeWhereTheAnswerBringsIt() {
        try (var meeting = new Rendezvous()) {
            ConnectionId listener = meeting.listener(PortSpace.TCP);
            ConnectionId active = meeting.resolved(listener);
            QueuePair qp = meeting.queuePair(active);
            CmEvent.ConnectRequest request = request(meeting, listener, active);
            QueuePair passive = meeting.queuePair(request.id());
            request.id().accept(config -> {});
            reset(qp);
            meeting.expect(active, CmEvent.Established.class); // by librdmacm, from RESET to RTS
            assertTrue(qp.tryPost(ReceiveRequest.prepare(1)));
            assertEquals(QueuePairState.RTS, qp.state());

            reset(passive); // it is in RTS since the answer: librdmacm does nothing when the event comes
            meeting.expect(request.id(), CmEvent.Established.class);
            assertTakesNothing(passive);
        }
    }
}
