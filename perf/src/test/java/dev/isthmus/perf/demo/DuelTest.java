// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.perf.Side;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class DuelTest {

    /** Notes its turns, and takes as long as it is told. */
    private final class Player implements Contestant {
        private final String name;
        private final IntToDoubleFunction micros;
        private int turns;

        Player(String name, IntToDoubleFunction micros) {
            this.name = name;
            this.micros = micros;
        }

        @Override
        public Latency round(int bytes, int iterations) {
            order.add(name + bytes);
            double median = micros.applyAsDouble(turns++);
            return new Latency(median, median);
        }

        @Override
        public void close() {}
    }

    private final List<String> order = new ArrayList<>();
    private final List<Sample> samples = new ArrayList<>();

    private final Duel.Listener listener = new Duel.Listener() {
        @Override
        public void progress(String what) {}

        @Override
        public void sample(Sample sample) {
            samples.add(sample);
        }
    };

    private void run(List<Integer> sizes, int rounds, Duel.WarmUp warmUp, IntToDoubleFunction java)
            throws IOException, InterruptedException {
        var c = new Player("C", turn -> 1);
        new Duel("verbs", sizes, 100, rounds, warmUp).run(c, new Player("J", java), listener);
    }

    private static Duel.WarmUp warmUp(int atLeast, int atMost) {
        return new Duel.WarmUp(atLeast, atMost, Duration.ofHours(1), 0.05);
    }

    @Test
    void shouldTakeTurnsAndChangeWhoBegins() throws Exception {
        run(List.of(8, 64), 2, warmUp(0, 0), turn -> 1);
        assertEquals(List.of("C8", "J8", "C64", "J64", "J8", "C8", "J64", "C64"), order);
        assertEquals(8, samples.size());
        assertEquals(new Sample("verbs", 8, Side.JAVA, 1, 1, 1), samples.get(1));
    }

    @Test
    void shouldWarmUpUntilThreeRoundsAgree() throws Exception {
        // 10, 9, 8, ... 1, 1, 1: the last three agree after twelve rounds.
        run(List.of(8), 1, warmUp(0, 100_000), turn -> Math.max(1, 10 - turn));
        assertEquals(12, order.indexOf("C8"));
        assertEquals(2, samples.size());
    }

    @Test
    void shouldWarmUpForTheLeastNumberOfIterations() throws Exception {
        run(List.of(8), 1, warmUp(2_000, 100_000), turn -> 1);
        assertEquals(20, order.indexOf("C8"));
    }

    @Test
    void shouldWarmUpNoLongerThanAllowed() throws Exception {
        run(List.of(8), 1, warmUp(0, 5_000), turn -> Math.pow(2, turn));
        assertEquals(50, order.indexOf("C8"));
    }

    @Test
    void shouldWantEverySizeSteady() throws Exception {
        // Sizes take turns: the first is steady at once, the second one grows until its tenth round.
        run(List.of(8, 64), 1, warmUp(0, 100_000), turn -> turn % 2 == 0 ? 1 : Math.min(turn, 19));
        assertTrue(order.indexOf("C8") >= 22, order.toString());
    }
}
