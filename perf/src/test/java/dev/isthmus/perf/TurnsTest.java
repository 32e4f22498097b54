// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class TurnsTest {

    private record Size(int bytes) implements Turns.Cell {
        @Override
        public String title() {
            return "" + bytes;
        }
    }

    /** Notes its turns, and fails at one of them. */
    private final class Player implements Turns.Contender<Size> {
        private final String name;

        Player(Side side) {
            name = side.title();
            events.add("new " + name);
        }

        @Override
        public void warmUp(Size size) {
            events.add("warm " + name + size.bytes());
        }

        @Override
        public Turns.Figure measure(Size size) throws IOException {
            events.add(name + size.bytes());
            if (++measured == fails) {
                throw failure;
            }
            return new Turns.Figure(measured, 2 * measured);
        }

        @Override
        public void close() {
            events.add("end " + name);
        }
    }

    /** Notes what it hears, and goes on after a failure if it is told to. */
    private final class Hearer implements Turns.Listener<Size> {
        @Override
        public void progress(String what) {
            progress.add(what);
        }

        @Override
        public void measured(Size size, Side side, int round, Turns.Figure figure) {
            heard.add(side.title() + size.bytes() + " " + round + " " + figure.figure() + " " + figure.averageMicros());
        }

        @Override
        public void failed(Size size, Side side, IOException reason) throws IOException {
            heard.add(side.title() + size.bytes() + " " + reason.getMessage());
            if (!goesOn) {
                throw reason;
            }
        }

        @Override
        public boolean isOver() {
            return measured == enough;
        }
    }

    private final IOException failure = new IOException("no luck");
    private final List<String> events = new ArrayList<>();
    private final List<String> heard = new ArrayList<>();
    private final List<String> progress = new ArrayList<>();
    private int measured;
    private int fails = -1;
    private int enough = -1;
    private boolean goesOn;

    private void run(int rounds) throws IOException, InterruptedException {
        new Turns<>(List.of(Side.C, Side.JAVA), Player::new, new Hearer())
                .run(List.of(new Size(8), new Size(64)), rounds);
    }

    @Test
    void shouldBeginWithAnotherOneAtEachPlaceAndInEachRound() {
        assertEquals(
                List.of("a1", "b1", "c1", "y1", "x1", "b2", "c2", "a2", "x2", "y2"),
                Turns.order(List.of(List.of("a", "b", "c"), List.of("x", "y")), 2, (who, round) -> who + round));
    }

    @Test
    void shouldWarmUpWhatIsNotCAndThenTakeTurns() throws Exception {
        run(2);
        assertEquals(
                List.of(
                        "new Java",
                        "warm Java8",
                        "warm Java64",
                        "new C",
                        "C8",
                        "Java8",
                        "Java64",
                        "C64",
                        "Java8",
                        "C8",
                        "C64",
                        "Java64",
                        "end C",
                        "end Java"),
                events);
        assertEquals(8, heard.size());
        assertEquals("Java8 1 2.0 4.0", heard.get(1));
        assertEquals("warming Java up: 8", progress.getFirst());
        assertEquals("64, round 2 of 2: Java", progress.getLast());
    }

    @Test
    void shouldGoOnAfterAFailureWithANewContender() throws Exception {
        fails = 2;
        goesOn = true;
        run(1);
        assertEquals(List.of("C8 1 1.0 2.0", "Java8 no luck", "Java64 1 3.0 6.0", "C64 1 4.0 8.0"), heard);
        assertEquals(
                List.of("Java8", "end Java", "new Java", "Java64", "C64", "end C", "end Java"),
                events.subList(events.indexOf("Java8"), events.size()));
    }

    @Test
    void shouldEndWhenItsListenerDoes() {
        fails = 2;
        assertSame(failure, assertThrows(IOException.class, () -> run(1)));
        assertEquals(List.of("Java8", "end Java", "end C"), events.subList(events.indexOf("Java8"), events.size()));
    }

    @Test
    void shouldTakeNoTurnWhenItIsOver() throws Exception {
        enough = 3;
        run(2);
        assertEquals(3, heard.size());
        assertEquals(2 + 3, progress.size());
        assertEquals(List.of("end C", "end Java"), events.subList(events.size() - 2, events.size()));
    }
}
