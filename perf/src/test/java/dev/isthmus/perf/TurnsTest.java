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

    /** Notes its turns, and fails at one of them. */
    private final class Player implements Turns.Contender {
        private final String name;

        Player(Side side) {
            name = side.title();
            events.add("new " + name);
        }

        @Override
        public void warmUp(Turns.Cell size) {
            events.add("warm " + name + size.bytes());
        }

        @Override
        public Turns.Figure measure(Turns.Cell size) throws IOException {
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

    /** Notes what it is notified of. */
    private final class Hearer implements Turns.Listener {
        @Override
        public void progress(String what) {
            progress.add(what);
        }

        @Override
        public void measured(Turns.Cell size, Side side, int round, Turns.Figure figure) {
            heard.add(side.title() + size.bytes() + " " + round + " " + figure.medianMicros() + " "
                    + figure.averageMicros());
        }
    }

    private final IOException failure = new IOException("no luck");
    private final List<String> events = new ArrayList<>();
    private final List<String> heard = new ArrayList<>();
    private final List<String> progress = new ArrayList<>();
    private int measured;
    private int fails = -1;

    private void run(int rounds) throws IOException, InterruptedException {
        new Turns(List.of(Side.C, Side.JAVA), Player::new, new Hearer())
                .run(List.of(new Turns.Cell("8", 8, 1), new Turns.Cell("64", 64, 1)), rounds);
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
    void shouldEndWithTheFirstFailure() {
        fails = 2;
        assertSame(failure, assertThrows(IOException.class, () -> run(1)));
        assertEquals(List.of("Java8", "end C", "end Java"), events.subList(events.indexOf("Java8"), events.size()));
    }
}
