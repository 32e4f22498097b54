// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.ucx;

import dev.isthmus.perf.Side;
import dev.isthmus.perf.Turns;
import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.Stopping;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** A comparison: at each cell of each transport, all sides take turns. Keeps what they measure, and why one failed. */
final class Comparing implements Turns.Listener<UcxCell>, AutoCloseable {

    private final int rounds;
    private final double warmUpSeconds;
    private final Stopping stopping;
    private final Consumer<String> progress;
    private final Children children = new Children();
    private final Map<UcxCell, Figures> figures = new LinkedHashMap<>();

    private int done;

    Comparing(List<UcxCell> cells, int rounds, double warmUpSeconds, Stopping stopping, Consumer<String> progress) {
        this.rounds = rounds;
        this.warmUpSeconds = warmUpSeconds;
        this.stopping = stopping;
        this.progress = progress;
        cells.forEach(cell -> figures.put(cell, new Figures(cell)));
    }

    /** Measures everything, or until it is to stop. */
    List<Figures> run() throws IOException, InterruptedException {
        for (UcxCell.Transport transport : UcxCell.Transport.values()) {
            List<UcxCell> cells = figures.keySet().stream()
                    .filter(cell -> cell.transport() == transport)
                    .toList();
            new Turns<UcxCell>(
                            List.of(Side.values()),
                            side -> UcxContender.of(side, transport, warmUpSeconds, children),
                            this)
                    .run(cells, rounds);
        }
        return List.copyOf(figures.values());
    }

    @Override
    public void progress(String what) {
        int all = rounds * figures.size() * Side.values().length;
        progress.accept(what + " (" + done + " of " + all + " runs)");
    }

    @Override
    public void measured(UcxCell cell, Side side, int round, Turns.Figure figure) {
        figures.get(cell).add(side, figure.figure());
        done++;
    }

    @Override
    public void failed(UcxCell cell, Side side, IOException reason) throws InterruptedException {
        if (!stopping.isWantedSoon()) {
            figures.get(cell).fail(side, reason.getMessage());
        }
    }

    @Override
    public boolean isOver() {
        return stopping.isWanted();
    }

    @Override
    public void close() {
        children.close();
    }
}
