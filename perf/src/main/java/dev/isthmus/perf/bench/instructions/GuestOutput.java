// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import dev.isthmus.perf.common.Side;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Reads the programs' output, line by line. */
final class GuestOutput {

    /** The row that shows what the clock counts. */
    private static final String CLOCK = "clock";

    /** How far a tick of the clock may be from an instruction. */
    private static final double CLOCK_ERROR = 0.005;

    private final Map<Suite, Map<String, RowCounts>> counts = new LinkedHashMap<>();
    private final List<String> facts = new ArrayList<>();
    private final Consumer<RowCounts> complete;
    private Suite suite;
    private Side side;

    /**
     * Creates a reader.
     *
     * @param complete takes each row once all sides have counted it
     */
    GuestOutput(Map<Suite, List<Row>> rows, Consumer<RowCounts> complete) {
        this.complete = complete;
        rows.forEach((of, some) -> {
            Map<String, RowCounts> bySpec = new LinkedHashMap<>();
            some.forEach(row -> bySpec.put(row.spec(), new RowCounts(row)));
            counts.put(of, bySpec);
        });
    }

    /** Takes a line; returns what is going on, in a few words. */
    String take(String line) throws IOException {
        String[] words = line.split(" ", -1);
        switch (words[0]) {
            case GuestRun.FACT -> facts.add(line.substring(GuestRun.FACT.length() + 1));
            case GuestRun.BEGIN -> {
                suite = Suite.valueOf(words[1]);
                side = Side.valueOf(words[2]);
            }
            case CLOCK -> checkClock(RowCounts.Figure.of(words, 1).instructions());
            default -> count(words);
        }
        return side == null ? "the testbed boots" : suite.title() + " in " + side.title() + progress();
    }

    private String progress() {
        var rows = counts.get(suite).values();
        long done = rows.stream().filter(row -> row.of(side).isPresent()).count();
        return ": " + (done == 0 ? "warms up" : done + " of " + rows.size() + " rows");
    }

    private void count(String[] words) throws IOException {
        RowCounts count = suite == null ? null : counts.get(suite).get(words[0]);
        if (count == null) {
            throw new IOException("a program printed something that is not a figure: " + String.join(" ", words));
        }
        count.put(side, RowCounts.Figure.of(words, 1));
        if (count.figures().keySet().equals(suite.sides())) {
            complete.accept(count);
        }
    }

    private static void checkClock(double perInstruction) throws IOException {
        if (Math.abs(perInstruction - 1) > CLOCK_ERROR) {
            throw new IOException("an instruction takes " + perInstruction
                    + " ns of the testbed's clock rather than 1: it does not count instructions");
        }
    }

    /** What the figures depend on besides this project. */
    List<String> facts() {
        return facts;
    }

    /** The rows, in their order. */
    List<RowCounts> counts() {
        return counts.values().stream().flatMap(rows -> rows.values().stream()).toList();
    }

    /** Throws if a row lacks a figure. */
    void checkComplete() throws IOException {
        for (var rows : counts.entrySet()) {
            for (RowCounts count : rows.getValue().values()) {
                for (Side each : rows.getKey().sides()) {
                    if (count.of(each).isEmpty()) {
                        throw new IOException("there is no figure for " + count.title() + " in " + each.title());
                    }
                }
            }
        }
    }
}
