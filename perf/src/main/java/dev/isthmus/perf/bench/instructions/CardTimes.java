// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import dev.isthmus.perf.common.Median;
import dev.isthmus.perf.common.Progress;
import dev.isthmus.perf.common.Side;
import dev.isthmus.perf.process.Children;
import dev.isthmus.perf.process.Testbed;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Times the rows of a card on this machine's own processor. C and Java take turns. */
final class CardTimes {

    private static final List<Side> SIDES = List.of(Side.C, Side.JAVA);

    private final Suite suite;
    private final List<Row> rows;
    private final int rounds;
    private final Map<Side, Map<String, List<Double>>> blocks = new EnumMap<>(Side.class);

    CardTimes(Suite suite, List<Row> rows, int rounds) {
        this.suite = suite;
        this.rows = rows;
        this.rounds = rounds;
    }

    /** Runs all rounds, and prints the medians. */
    void run(Progress progress, PrintWriter out) throws IOException, InterruptedException {
        Testbed testbed = Testbed.required();
        GuestRun.buildCard(testbed);
        try (var programs = new CPrograms();
                var children = new Children()) {
            Path program = programs.compile(suite);
            for (int round = 1; round <= rounds; round++) {
                for (Side side : SIDES) {
                    progress.update("round " + round + " of " + rounds + " in " + side.title());
                    run(children, GuestRun.commands(testbed, suite, side, program, rows), side);
                }
            }
        }
        progress.clear();
        print(out);
    }

    private void run(Children children, String script, Side side) throws IOException, InterruptedException {
        Process process = children.start(List.of("sh", "-c", script), Map.of());
        int status = Children.listen(process, line -> {
            String[] words = line.split(" ", -1);
            if (rows.stream().anyMatch(row -> row.spec().equals(words[0]))) {
                blocks(side, words[0])
                        .addAll(Arrays.stream(words, 2, words.length)
                                .map(Double::valueOf)
                                .toList());
            }
        });
        if (status != 0) {
            throw new IOException(side.title() + "'s program ended with exit status " + status);
        }
    }

    private List<Double> blocks(Side side, String spec) {
        return blocks.computeIfAbsent(side, each -> new HashMap<>()).computeIfAbsent(spec, each -> new ArrayList<>());
    }

    private void print(PrintWriter out) {
        out.printf(Locale.ROOT, "%-40s %8s %8s %8s %8s%n", "nanoseconds", "C", "Java", "Java-C", "Java/C");
        for (Row row : rows) {
            double c = median(Side.C, row);
            double java = median(Side.JAVA, row);
            out.printf(Locale.ROOT, "%-40s %8.1f %8.1f %8.1f %8.3f%n", row.title(), c, java, java - c, java / c);
        }
        out.flush();
    }

    private double median(Side side, Row row) {
        return Median.of(blocks(side, row.spec()).stream().mapToDouble(Double::doubleValue));
    }
}
