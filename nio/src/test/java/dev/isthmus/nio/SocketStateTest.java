// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every state and every event. */
@Tag("unit")
class SocketStateTest {

    private static String after(SocketState from, SocketState.Event event) {
        try {
            return from.on(event).name();
        } catch (IllegalStateException e) {
            return e.getClass().getSimpleName().replace("Exception", "");
        }
    }

    private static String row(String first, Object[] cells) {
        return first + " " + Arrays.stream(cells).map(Object::toString).collect(Collectors.joining(" "));
    }

    @Test
    void shouldGoOrRefuseAsTheTableSays() {
        String table = """
                         BIND               CONNECT            ESTABLISH            SHUT_INPUT       SHUT_OUTPUT
            UNBOUND      BOUND              CONNECTING         NoConnectionPending  NotYetConnected  NotYetConnected
            BOUND        AlreadyBound       CONNECTING         NoConnectionPending  NotYetConnected  NotYetConnected
            CONNECTING   ConnectionPending  ConnectionPending  CONNECTED            NotYetConnected  NotYetConnected
            CONNECTED    AlreadyBound       AlreadyConnected   CONNECTED            INPUT_SHUT       OUTPUT_SHUT
            INPUT_SHUT   AlreadyBound       AlreadyConnected   INPUT_SHUT           INPUT_SHUT       SHUT
            OUTPUT_SHUT  AlreadyBound       AlreadyConnected   OUTPUT_SHUT          SHUT             OUTPUT_SHUT
            SHUT         AlreadyBound       AlreadyConnected   SHUT                 SHUT             SHUT
            """;
        SocketState.Event[] events = SocketState.Event.values();
        String found = Arrays.stream(SocketState.values())
                .map(state -> row(
                        state.name(),
                        Arrays.stream(events).map(event -> after(state, event)).toArray()))
                .collect(Collectors.joining("\n", row("", events) + "\n", "\n"));
        assertEquals(table.replaceAll(" +", " "), found);
    }

    @Test
    void shouldAnswerWhatHasHappened() {
        for (SocketState from : SocketState.values()) {
            assertEquals(from.name().contains("SHUT") || from == SocketState.CONNECTED, from.isConnected());
            if (from.isConnected()) {
                assertTrue(from.on(SocketState.Event.SHUT_INPUT).isInputShut(), from::name);
                assertTrue(from.on(SocketState.Event.SHUT_OUTPUT).isOutputShut(), from::name);
                assertEquals(
                        from.isInputShut(),
                        from.on(SocketState.Event.SHUT_OUTPUT).isInputShut());
                assertEquals(
                        from.isOutputShut(),
                        from.on(SocketState.Event.SHUT_INPUT).isOutputShut());
            } else {
                assertTrue(!from.isInputShut() && !from.isOutputShut(), from::name);
            }
        }
    }
}
