// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.nio.stream.StreamState.Event;
import dev.isthmus.nio.stream.StreamState.Input;
import dev.isthmus.nio.stream.StreamState.Life;
import dev.isthmus.nio.stream.StreamState.Output;
import dev.isthmus.nio.stream.StreamState.Peer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every state and every event; a state or an event that the tables below do not have fails. */
@Tag("unit")
class StreamStateTest {

    /** What an event makes of each part, unless the state is RELEASED. A dot changes nothing; of two, see expected(). */
    private static final Map<String, String> CELLS = read("""
            life            FAIL    BREAK   CLOSE    RESET      RELEASE   END
            OPEN            FAILED  BROKEN  CLOSING  RESETTING  RELEASED  OPEN/FAILED
            FAILED          .       .       DEAD     DEAD       RELEASED  .
            BROKEN          .       .       DEAD     DEAD       RELEASED  .
            CLOSING         DEAD    DEAD    .        .          RELEASED  .
            RESETTING       DEAD    DEAD    .        .          RELEASED  .
            DEAD            .       .       .        .          RELEASED  .
            RELEASED        .       .       .        .          .         .

            input           SHUT_INPUT  CLOSE  RESET
            OPEN            SHUT        SHUT   SHUT
            SHUT            .           .      .

            output          SHUT_OUTPUT             SEND          CLOSE
            OPEN            SHUTTING/DISCONNECTING  .             DISCONNECTING
            SHUTTING        .                       SHUT          DISCONNECTING
            SHUT            .                       .             DISCONNECTING
            DISCONNECTING   .                       DISCONNECTED  .
            DISCONNECTED    .                       .             .

            peer            CONNECT  CONNECT_SILENT  PEER_SEND  PEER_SHUT  PEER_DISCONNECT  END
            UNKNOWN         SENDING  SILENT          .          .          .                LOST
            SILENT          .        .               SENDING    .          .                LOST
            SENDING         .        .               .          SHUT       DISCONNECTED     LOST
            SHUT            .        .               .          .          DISCONNECTED     ENDED
            DISCONNECTED    .        .               .          .          .                ENDED
            ENDED           .        .               .          .          .                .
            LOST            .        .               .          .          .                .
            """);

    private static Map<String, String> read(String tables) {
        Map<String, String> cells = new HashMap<>();
        for (String table : tables.split("\n\n", -1)) {
            List<String[]> rows =
                    table.lines().map(line -> line.strip().split(" +", -1)).toList();
            String[] head = rows.get(0);
            for (String[] row : rows.subList(1, rows.size())) {
                for (int i = 1; i < head.length; i++) {
                    cells.put(head[0] + " " + row[0] + " " + head[i], row[i]);
                }
                cells.put(head[0] + " " + row[0], "");
            }
        }
        return cells;
    }

    private static boolean isClosed(Life life) {
        return Set.of(Life.CLOSING, Life.RESETTING, Life.DEAD, Life.RELEASED).contains(life);
    }

    private static <E extends Enum<E>> E next(String part, E from, Event event, boolean second) {
        assertNotNull(CELLS.get(part + " " + from), () -> "no row for " + part + " " + from);
        String cell = CELLS.getOrDefault(part + " " + from + " " + event, ".");
        String[] choice = cell.split("/", -1);
        return cell.equals(".") ? from : Enum.valueOf(from.getDeclaringClass(), choice[second ? choice.length - 1 : 0]);
    }

    private static StreamState expected(StreamState from, Event event) {
        if (from.life() == Life.RELEASED || (isClosed(from.life()) && isOfOpen(event))) {
            return from;
        }
        boolean disconnects = from.output() == Output.DISCONNECTING || from.output() == Output.DISCONNECTED;
        boolean peerShut = Set.of(Peer.SHUT, Peer.DISCONNECTED, Peer.ENDED).contains(from.peer());
        boolean isOver = from.peer() == Peer.ENDED || from.peer() == Peer.LOST;
        boolean announced = disconnects
                || from.peer() == Peer.DISCONNECTED
                || (from.peer() == Peer.SHUT && from.output() != Output.OPEN);
        return new StreamState(
                next("life", from.life(), event, !announced && !isOver),
                next("input", from.input(), event, false),
                next("output", from.output(), event, peerShut || from.input() == Input.SHUT),
                next("peer", from.peer(), event, false));
    }

    /** Whether an event is the program's, and means nothing after a close. */
    private static boolean isOfOpen(Event event) {
        return Set.of(Event.SHUT_OUTPUT, Event.CLOSE, Event.RESET).contains(event);
    }

    private static Stream<StreamState> all() {
        return Arrays.stream(Life.values())
                .flatMap(life -> Arrays.stream(Input.values())
                        .flatMap(input -> Arrays.stream(Output.values())
                                .flatMap(output -> Arrays.stream(Peer.values())
                                        .map(peer -> new StreamState(life, input, output, peer)))));
    }

    @Test
    void shouldHaveAColumnForEachEvent() {
        Set<String> columns = CELLS.keySet().stream()
                .map(each -> each.split(" ", -1))
                .filter(each -> each.length > 2)
                .map(each -> each[2])
                .collect(Collectors.toSet());
        assertEquals(Arrays.stream(Event.values()).map(Enum::name).collect(Collectors.toSet()), columns);
    }

    @Test
    void shouldGoWhereTheTablesSay() {
        all().forEach(from -> {
            for (Event event : Event.values()) {
                StreamState to = from.on(event);
                assertEquals(expected(from, event), to, () -> event + " in " + from);
                if (to.equals(from)) {
                    assertSame(from, to, "what changes nothing allocates nothing");
                }
            }
        });
    }

    private static List<StreamState> successors(StreamState from) {
        return Arrays.stream(Event.values())
                .map(from::on)
                .filter(to -> !to.equals(from))
                .toList();
    }

    /** What can be reached from a state, each after all states that lead to it. */
    private static List<StreamState> reachable(StreamState from) {
        Set<StreamState> seen = new HashSet<>();
        Deque<StreamState> order = new ArrayDeque<>();
        visit(from, seen, new HashSet<>(), order);
        return new ArrayList<>(order);
    }

    private static void visit(StreamState one, Set<StreamState> seen, Set<StreamState> path, Deque<StreamState> order) {
        assertTrue(path.add(one), () -> one + " comes again");
        if (seen.add(one)) {
            successors(one).forEach(next -> visit(next, seen, path, order));
            order.addFirst(one);
        }
        path.remove(one);
    }

    @Test
    void shouldReachEachNamedStateAndNoneTwice() {
        List<StreamState> reached = reachable(StreamState.FIRST);
        Set<Enum<?>> parts = reached.stream()
                .flatMap(each -> Stream.of(each.life(), each.input(), each.output(), each.peer()))
                .collect(Collectors.toSet());
        Set<Enum<?>> named = new HashSet<>(List.of(Life.values()));
        named.addAll(List.of(Input.values()));
        named.addAll(List.of(Output.values()));
        named.addAll(List.of(Peer.values()));
        assertEquals(named, parts);
    }

    @Test
    void shouldNeverAllowAgainWhatItHasRefused() {
        for (StreamState from : reachable(StreamState.FIRST)) {
            for (StreamState to : successors(from)) {
                String step = from + " to " + to;
                boolean connects = from.peer() == Peer.UNKNOWN;
                assertTrue(from.mayRead() || !to.mayRead(), step);
                assertTrue(from.mayWrite() || !to.mayWrite() || connects, step);
                assertTrue(from.mayGrant() || !to.mayGrant() || connects, step);
                assertTrue(from.mayControl() || !to.mayControl() || connects, step);
                assertTrue(from.isConnected() || !to.isConnected() || connects, step);
                assertTrue(from.takesMessages() || !to.takesMessages(), step);
                assertTrue(!from.isClosed() || to.isClosed(), step);
                assertTrue(!from.isEnded() || to.isEnded(), step);
                assertTrue(!from.isAtEnd() || to.isAtEnd(), step);
                assertTrue(!from.isFailed() || to.isFailed() || to.life() == Life.RELEASED, step);
            }
        }
    }

    @Test
    void shouldAnswerQuestionsThatAgree() {
        for (StreamState each : reachable(StreamState.FIRST)) {
            if (each.mayWrite()) {
                assertTrue(each.mayGrant() && each.mayControl() && each.isConnected(), each::toString);
            }
            if (each.mayControl()) {
                assertTrue(each.isConnected() && each.peerReceives(), each::toString);
            }
            if (each.isClosed()) {
                assertFalse(each.mayRead() || each.mayWrite() || each.mayGrant(), each::toString);
            }
            if (each.life() == Life.CLOSING && each.mayControl()) {
                assertTrue(each.owed() != 0 || each.output() == Output.DISCONNECTED, each::toString);
            }
            if (each.isAtEnd()) {
                assertFalse(each.admits(Message.DATA) || each.admits(Message.IOMAP), each::toString);
            }
            boolean mayBeRefused = each.peer() != Peer.SENDING && each.peer() != Peer.SILENT;
            assertTrue(each.admits(Message.DATA) != mayBeRefused, each::toString);
            assertTrue(each.admits(Message.CREDITS) || each.peer() == Peer.UNKNOWN, each::toString);
        }
    }

    @Test
    void shouldOweWhatTheOutputSays() {
        assertEquals(
                Map.of(
                        Output.OPEN, 0,
                        Output.SHUTTING, Message.of(Message.CONTROL, Message.SHUTDOWN),
                        Output.SHUT, 0,
                        Output.DISCONNECTING, Message.of(Message.CONTROL, Message.DISCONNECT),
                        Output.DISCONNECTED, 0),
                all().collect(Collectors.toMap(StreamState::output, StreamState::owed, (one, other) -> {
                    assertEquals(one, other);
                    return one;
                })));
    }
}
