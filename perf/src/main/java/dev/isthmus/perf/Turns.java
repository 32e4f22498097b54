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
 * Sides that take turns at every cell of a table, round after round, so that a change in the machine's speed affects
 * all of them. Before the first round, each JVM is warmed up for every cell. A side's contender is made when its first
 * turn comes.
 */
public final class Turns {

    /**
     * A place in a table.
     *
     * @param title its name
     * @param bytes the size of its messages
     * @param iterations of a turn
     */
    public record Cell(String title, int bytes, int iterations) {}

    /**
     * The result of a turn.
     *
     * @param medianMicros median latency
     * @param averageMicros mean latency
     */
    public record Figure(double medianMicros, double averageMicros) {}

    /** Measures for a side. */
    public interface Contender extends AutoCloseable {

        /** Measures a cell once. */
        Figure measure(Cell cell) throws IOException, InterruptedException;

        /** Makes a JVM compile what a cell needs. */
        void warmUp(Cell cell) throws IOException, InterruptedException;

        /** Ends what it keeps between its turns, if anything. */
        @Override
        void close();
    }

    /** Makes contenders. */
    @FunctionalInterface
    public interface Maker {

        /** Makes the contender of a side. */
        Contender make(Side side) throws IOException, InterruptedException;
    }

    /** Is notified of turns. */
    public interface Listener {

        /** A turn begins: one short line. */
        void progress(String what);

        /** A turn that counts has ended. */
        void measured(Cell cell, Side side, int round, Figure figure);
    }

    private record Entry(Cell cell, Side side) {}

    private record Step(Entry entry, int round) {}

    private final List<Side> sides;
    private final Maker maker;
    private final Listener listener;
    private final Map<Side, Contender> contenders = new EnumMap<>(Side.class);

    /** Begins with no turn taken. */
    public Turns(List<Side> sides, Maker maker, Listener listener) {
        this.sides = sides;
        this.maker = maker;
        this.listener = listener;
    }

    /**
     * The order of turns: in each round all places, and at each place everyone who takes turns there, each time
     * beginning with another one. So an interruption affects all alike.
     *
     * @param places who takes turns at each place
     * @param step makes a step, from who takes the turn and the number of the round, from 1
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

    /** Takes all turns at some cells, until one fails, and ends the contenders. */
    public void run(List<Cell> cells, int rounds) throws IOException, InterruptedException {
        List<List<Entry>> places = cells.stream()
                .map(cell -> sides.stream().map(side -> new Entry(cell, side)).toList())
                .toList();
        try {
            for (List<Entry> place : places) {
                for (Entry entry : place) {
                    if (entry.side() != Side.C) { // a C program starts anew each time
                        listener.progress("warming " + entry.side().title() + " up: "
                                + entry.cell().title());
                        contender(entry.side()).warmUp(entry.cell());
                    }
                }
            }
            for (Step step : order(places, rounds, Step::new)) {
                Cell cell = step.entry().cell();
                Side side = step.entry().side();
                listener.progress(String.format(
                        Locale.ROOT, "%s, round %d of %d: %s", cell.title(), step.round(), rounds, side.title()));
                listener.measured(cell, side, step.round(), contender(side).measure(cell));
            }
        } finally {
            contenders.values().forEach(Contender::close);
            contenders.clear();
        }
    }

    private Contender contender(Side side) throws IOException, InterruptedException {
        Contender contender = contenders.get(side);
        if (contender == null) {
            contender = maker.make(side);
            contenders.put(side, contender);
        }
        return contender;
    }
}
