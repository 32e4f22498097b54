// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.ucx;

import dev.isthmus.perf.demo.Children;
import java.io.IOException;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Runs a comparison: the contenders take turns at every cell, round after round. */
final class Comparing implements AutoCloseable {

    /** So that the JIT compiler has each loop; the time limit is what counts. */
    private static final int WARM_UP = 400_000;

    private static final int MEASURED_WARM_UP = 10_000;
    private static final double MEASURED_WARM_UP_SECONDS = 0.1;

    /** Ctrl-C ends the children, too, which may be noticed before the signal is. */
    private static final long SIGNAL_MILLIS = 500;

    /** What a comparison is told. */
    record Options(List<Cell> cells, int rounds, Optional<Integer> iterations, double warmUpSeconds) {}

    private final Options options;
    private final Consumer<String> progress;
    private final Children children = new Children();
    private final Map<Contender.Name, Contender> contenders = new EnumMap<>(Contender.Name.class);
    private final CountDownLatch stopped = new CountDownLatch(1);

    /** Guarded by this, as long as it is measured. */
    private final Map<Cell, Figures> figures = new LinkedHashMap<>();

    private int done;

    Comparing(Options options, Consumer<String> progress) {
        this.options = options;
        this.progress = progress;
        options.cells().forEach(cell -> figures.put(cell, new Figures(cell)));
    }

    /** Measures everything, or until {@link #stop} is called. */
    List<Figures> run() throws IOException, InterruptedException {
        for (Cell.Transport transport : Cell.Transport.values()) {
            List<Cell> cells = options.cells().stream()
                    .filter(cell -> cell.transport() == transport)
                    .toList();
            if (!cells.isEmpty()) {
                run(transport, cells);
            }
        }
        return stop();
    }

    /**
     * Ends the measuring: nothing that is measured from now on counts. May be called by any thread.
     *
     * @return what was measured so far
     */
    synchronized List<Figures> stop() {
        stopped.countDown();
        return List.copyOf(figures.values());
    }

    private boolean isStopped() {
        return stopped.getCount() == 0;
    }

    private synchronized void count(Cell cell, Consumer<Figures> what) {
        if (!isStopped()) {
            what.accept(figures.get(cell));
        }
    }

    private void run(Cell.Transport transport, List<Cell> cells) throws IOException, InterruptedException {
        try {
            for (Cell cell : cells) {
                for (Contender.Name name : List.of(Contender.Name.JAVA, Contender.Name.JUCX)) {
                    progress.accept("warming " + name.title() + " up: " + cell.title());
                    attempt(cell, name, transport, WARM_UP, options.warmUpSeconds(), false);
                }
            }
            for (int round = 0; round < options.rounds(); round++) {
                for (Cell cell : cells) {
                    turns(round, cell, transport);
                }
            }
        } finally {
            contenders.values().forEach(Contender::close);
            contenders.clear();
        }
    }

    private void turns(int round, Cell cell, Cell.Transport transport) throws IOException, InterruptedException {
        List<Contender.Name> names = Arrays.asList(Contender.Name.values());
        progress.accept(String.format(
                Locale.ROOT,
                "%s, round %d of %d (%d of %d runs)",
                cell.title(),
                round + 1,
                options.rounds(),
                done,
                options.rounds() * options.cells().size()));
        for (int i = 0; i < names.size(); i++) {
            Contender.Name name = names.get((i + round) % names.size());
            attempt(cell, name, transport, MEASURED_WARM_UP, MEASURED_WARM_UP_SECONDS, true);
        }
        done++;
    }

    /** Runs once; a failure is noted with the cell, and the others go on. */
    private void attempt(
            Cell cell, Contender.Name name, Cell.Transport transport, int warmUp, double seconds, boolean counts)
            throws InterruptedException {
        if (isStopped()) {
            return;
        }
        try {
            Contender contender = contenders.get(name);
            if (contender == null) {
                contender = name == Contender.Name.C
                        ? new ToolContender(children)
                        : new AgentContender(name, transport, children);
                contenders.put(name, contender);
            }
            int iterations = options.iterations().orElse(cell.iterations());
            double figure = contender.run(cell, iterations, warmUp, seconds);
            if (counts) {
                count(cell, noted -> noted.add(name, figure));
            }
        } catch (IOException e) {
            if (!stopped.await(SIGNAL_MILLIS, TimeUnit.MILLISECONDS)) {
                count(cell, noted -> noted.fail(name, e.getMessage()));
            }
            Contender failed = contenders.remove(name);
            if (failed != null) {
                failed.close();
            }
        }
    }

    @Override
    public void close() {
        contenders.values().forEach(Contender::close);
        children.close();
    }
}
