// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiFunction;

/**
 * Sides that take turns at every cell of a table, round after round, so that a machine that changes its speed changes it
 * for all of them. Before the first round, each JVM is warmed up for every cell. A side's contender is made for its first
 * turn, and another one for its next turn after a failure.
 *
 * @param <C> the cells
 */
public final class Turns<C extends Turns.Cell> {

    /** A place in a table. */
    public interface Cell {

        /** Its name. */
        String title();

        /** The size of its messages. */
        int bytes();
    }

    /**
     * What a turn has measured.
     *
     * @param figure what the table has: of latency the median in microseconds, or else a bandwidth
     * @param averageMicros mean latency
     */
    public record Figure(double figure, double averageMicros) {}

    /** Who measures for a side. */
    @FunctionalInterface
    public interface Contender<C> extends AutoCloseable {

        /** Measures a cell once. */
        Figure measure(C cell) throws IOException, InterruptedException;

        /** Has a JVM compile what a cell needs. */
        default void warmUp(C cell) throws IOException, InterruptedException {}

        /** Ends what it keeps between its turns, if anything. */
        @Override
        default void close() {}
    }

    /** Makes contenders. */
    @FunctionalInterface
    public interface Maker<C> {

        /** Makes that of a side. */
        Contender<C> make(Side side) throws IOException, InterruptedException;
    }

    /** Hears of turns. */
    public interface Listener<C> {

        /** A turn begins: one short line. */
        void progress(String what);

        /** A turn that counts has ended. */
        void measured(C cell, Side side, int round, Figure figure);

        /** A turn has failed. The others are taken all the same, unless this throws. */
        void failed(C cell, Side side, IOException reason) throws IOException, InterruptedException;

        /** Whether the turns that are left are not to be taken. */
        default boolean isOver() {
            return false;
        }
    }

    /** A use of a contender. */
    private interface Use<C> {
        void of(Contender<C> contender) throws IOException, InterruptedException;
    }

    private record Entry<C>(C cell, Side side) {}

    private record Step<C>(Entry<C> entry, int round) {}

    private final List<Side> sides;
    private final Maker<C> maker;
    private final Listener<? super C> listener;
    private final Map<Side, Contender<C>> contenders = new EnumMap<>(Side.class);

    /** No turn is taken yet. */
    public Turns(List<Side> sides, Maker<C> maker, Listener<? super C> listener) {
        this.sides = sides;
        this.maker = maker;
        this.listener = listener;
    }

    /**
     * The order of turns: in each round all places, and at each place all who take turns there, every time beginning with
     * another one. So whatever interrupts them has done so for all alike.
     *
     * @param places who takes turns at each
     * @param step makes a step, of who takes the turn and the number of the round, from 1
     */
    public static <T, S> List<S> order(Collection<List<T>> places, int rounds, BiFunction<T, Integer, S> step) {
        List<S> steps = new ArrayList<>();
        for (int round = 1; round <= rounds; round++) {
            int first = round - 1;
            for (List<T> place : places) {
                for (int i = 0; i < place.size(); i++) {
                    steps.add(step.apply(place.get((i + first) % place.size()), round));
                }
                first++;
            }
        }
        return steps;
    }

    /** Takes all turns at some cells, and ends the contenders. */
    public void run(List<C> cells, int rounds) throws IOException, InterruptedException {
        List<List<Entry<C>>> places = cells.stream()
                .map(cell -> sides.stream().map(side -> new Entry<>(cell, side)).toList())
                .toList();
        try {
            for (List<Entry<C>> place : places) {
                for (Entry<C> entry : place) {
                    if (entry.side() != Side.C) { // which begins anew each time
                        String what = "warming " + entry.side().title() + " up: "
                                + entry.cell().title();
                        take(entry, what, contender -> contender.warmUp(entry.cell()));
                    }
                }
            }
            for (Step<C> step : order(places, rounds, Step<C>::new)) {
                C cell = step.entry().cell();
                Side side = step.entry().side();
                String what = String.format(
                        Locale.ROOT, "%s, round %d of %d: %s", cell.title(), step.round(), rounds, side.title());
                take(
                        step.entry(),
                        what,
                        contender -> listener.measured(cell, side, step.round(), contender.measure(cell)));
            }
        } finally {
            contenders.values().forEach(Contender::close);
            contenders.clear();
        }
    }

    private void take(Entry<C> entry, String what, Use<C> use) throws IOException, InterruptedException {
        if (listener.isOver()) {
            return;
        }
        listener.progress(what);
        try {
            Contender<C> contender = contenders.get(entry.side());
            if (contender == null) {
                contender = maker.make(entry.side());
                contenders.put(entry.side(), contender);
            }
            use.of(contender);
        } catch (IOException e) {
            Contender<C> failed = contenders.remove(entry.side());
            if (failed != null) {
                failed.close();
            }
            listener.failed(entry.cell(), entry.side(), e);
        }
    }
}
