// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.ucx;

import dev.isthmus.perf.Side;
import dev.isthmus.perf.process.Children;
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

    /** Enough for the JIT to compile each loop; the time limit decides. */
    private static final int WARM_UP = 400_000;

    private static final int MEASURED_WARM_UP = 10_000;
    private static final double MEASURED_WARM_UP_SECONDS = 0.1;

    /** Ctrl-C also ends the children, and their end may be noticed before the signal. */
    private static final long SIGNAL_MILLIS = 500;

    /** What a comparison is told. */
    record Options(List<UcxCell> cells, int rounds, Optional<Integer> iterations, double warmUpSeconds) {}

    private final Options options;
    private final Consumer<String> progress;
    private final Children children = new Children();
    private final Map<Side, UcxContender> contenders = new EnumMap<>(Side.class);
    private final CountDownLatch stopped = new CountDownLatch(1);

    /** Guarded by this, as long as it is measured. */
    private final Map<UcxCell, Figures> figures = new LinkedHashMap<>();

    private int done;

    Comparing(Options options, Consumer<String> progress) {
        this.options = options;
        this.progress = progress;
        options.cells().forEach(cell -> figures.put(cell, new Figures(cell)));
    }

    /** Measures everything, or measures until {@link #stop} is called. */
    List<Figures> run() throws IOException, InterruptedException {
        for (UcxCell.Transport transport : UcxCell.Transport.values()) {
            List<UcxCell> cells = options.cells().stream()
                    .filter(cell -> cell.transport() == transport)
                    .toList();
            if (!cells.isEmpty()) {
                run(transport, cells);
            }
        }
        return stop();
    }

    /**
     * Ends the measurement: nothing that is measured from now on counts. Any thread may call it.
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

    private synchronized void count(UcxCell cell, Consumer<Figures> what) {
        if (!isStopped()) {
            what.accept(figures.get(cell));
        }
    }

    private void run(UcxCell.Transport transport, List<UcxCell> cells) throws IOException, InterruptedException {
        try {
            for (UcxCell cell : cells) {
                for (Side name : List.of(Side.JAVA, Side.JUCX)) {
                    progress.accept("warming " + name.title() + " up: " + cell.title());
                    attempt(cell, name, transport, WARM_UP, options.warmUpSeconds(), false);
                }
            }
            for (int round = 0; round < options.rounds(); round++) {
                for (UcxCell cell : cells) {
                    turns(round, cell, transport);
                }
            }
        } finally {
            contenders.values().forEach(UcxContender::close);
            contenders.clear();
        }
    }

    private void turns(int round, UcxCell cell, UcxCell.Transport transport) throws IOException, InterruptedException {
        List<Side> names = Arrays.asList(Side.values());
        progress.accept(String.format(
                Locale.ROOT,
                "%s, round %d of %d (%d of %d runs)",
                cell.title(),
                round + 1,
                options.rounds(),
                done,
                options.rounds() * options.cells().size()));
        for (int i = 0; i < names.size(); i++) {
            Side name = names.get((i + round) % names.size());
            attempt(cell, name, transport, MEASURED_WARM_UP, MEASURED_WARM_UP_SECONDS, true);
        }
        done++;
    }

    /** Runs once. A failure is recorded with the cell, and the others go on. */
    private void attempt(
            UcxCell cell, Side name, UcxCell.Transport transport, int warmUp, double seconds, boolean counts)
            throws InterruptedException {
        if (isStopped()) {
            return;
        }
        try {
            UcxContender contender = contenders.get(name);
            if (contender == null) {
                contender = name == Side.C
                        ? new UcxToolContender(transport, children)
                        : new UcxAgentContender(name, transport, children);
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
            UcxContender failed = contenders.remove(name);
            if (failed != null) {
                failed.close();
            }
        }
    }

    @Override
    public void close() {
        contenders.values().forEach(UcxContender::close);
        children.close();
    }
}
