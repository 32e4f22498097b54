// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.EnumSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every state, and every state that rdma_cm announces meanwhile. */
@Tag("unit")
class RecordedStateTest {

    private final RecordedState state = new RecordedState();

    @Test
    void shouldShowAnAnnouncedStateAtOnceAndRecordItOnce() {
        for (QueuePairState before : QueuePairState.values()) {
            for (QueuePairState next : QueuePairState.values()) {
                state.record(before);
                state.announce(next);
                assertEquals(next, state.latest());
                assertEquals(before, state.recorded());
                state.recordAnnounced(state::record);
                assertEquals(next, state.latest());
                assertEquals(next, state.recorded());
                state.recordAnnounced(again -> fail("it was announced once"));
            }
        }
    }

    @Test
    void shouldNeverShowTheStateBeforeAgain() {
        state.announce(QueuePairState.RTS);
        state.recordAnnounced(next -> {
            assertEquals(QueuePairState.RTS, state.latest());
            state.record(next);
        });
    }

    @Test
    void shouldKeepAStateThatIsAnnouncedDuringTheRecording() {
        state.announce(QueuePairState.RTS);
        state.recordAnnounced(next -> {
            state.record(next);
            state.announce(QueuePairState.ERR);
        });
        assertEquals(QueuePairState.ERR, state.latest());
        state.recordAnnounced(state::record);
        assertEquals(QueuePairState.ERR, state.recorded());
    }

    @Test
    void shouldRecordWhatTheDeviceSaysInstead() {
        state.announce(QueuePairState.RTS);
        state.recordAnnounced(next -> state.record(QueuePairState.RESET));
        assertEquals(QueuePairState.RESET, state.latest());
    }

    @Test
    void shouldAllowPostsFromInitAndFromRtsOn() {
        var receives = EnumSet.complementOf(EnumSet.of(QueuePairState.RESET, QueuePairState.UNKNOWN));
        var sends = EnumSet.copyOf(receives);
        sends.removeAll(EnumSet.of(QueuePairState.INIT, QueuePairState.RTR));
        for (QueuePairState each : QueuePairState.values()) {
            assertEquals(receives.contains(each), each.allowsReceives(), each::name);
            assertEquals(sends.contains(each), each.allowsSends(), each::name);
        }
    }
}
