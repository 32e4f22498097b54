// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import dev.isthmus.perf.common.Side;
import dev.isthmus.perf.common.WholeFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The table of accepted figures: a CSV file with a line that names the machine, and then one for each row. Instructions
 * are compared only where kernel, compiler, JDK and libraries match the table; ratios are compared everywhere.
 *
 * @param machine on which the table was made
 */
record Accepted(Path file, String machine, Map<String, AcceptedCosts> lines) {

    /** More than this times the accepted figure is too much. */
    static final double LIMIT = 1.01;

    /** A figure must fall below this times the accepted one to count as better. */
    private static final double BETTER = 0.999;

    private static final String MACHINE = "# machine: ";
    private static final String HEADER = "row,java,ratio";
    private static final String INTRODUCTION = """
            # The figures that `isthmus perf instructions --check` accepts: the instructions of an operation in Java,
            # and Java over C. Written by --accept.
            """;

    /** The accepted figures of a row. */
    record AcceptedCosts(double java, double ratio) {}

    /** Reads a table; an empty one if there is no file. */
    static Accepted read(Path file) throws IOException {
        if (!Files.exists(file)) {
            return new Accepted(file, "", new LinkedHashMap<>());
        }
        List<String> text = Files.readAllLines(file);
        String machine = text.stream()
                .filter(line -> line.startsWith(MACHINE))
                .map(line -> line.substring(MACHINE.length()))
                .findFirst()
                .orElse("");
        var table = new Accepted(file, machine, new LinkedHashMap<>());
        for (String line : text) {
            if (!line.isBlank() && !line.startsWith("#") && !line.equals(HEADER)) {
                table.add(line);
            }
        }
        return table;
    }

    private void add(String line) throws IOException {
        String[] fields = line.split(",", -1);
        try {
            lines.put(fields[0], new AcceptedCosts(Double.parseDouble(fields[1]), Double.parseDouble(fields[2])));
        } catch (ArrayIndexOutOfBoundsException | NumberFormatException e) {
            throw new IOException(file + ": not a line of the form " + HEADER + ": " + line, e);
        }
    }

    boolean isEmpty() {
        return lines.isEmpty();
    }

    /** The accepted instructions of a row in Java. */
    Optional<Double> java(String title) {
        return Optional.ofNullable(lines.get(title)).map(AcceptedCosts::java);
    }

    /** Why a row is not accepted; empty if it is. */
    Optional<String> objection(RowCounts count, String here) {
        AcceptedCosts accepted = lines.get(count.title());
        if (accepted == null) {
            return Optional.of("it has no accepted figure yet: --accept");
        }
        var allocated = count.of(Side.JAVA).orElseThrow().bytes();
        if (allocated > 0) {
            return Optional.of(String.format(Locale.ROOT, "%.2f bytes are allocated in each operation", allocated));
        }
        double java = count.instructions(Side.JAVA) / accepted.java;
        if (here.equals(machine) && java > LIMIT) {
            return Optional.of(above(java, String.format(Locale.ROOT, "%.2f instructions", accepted.java)));
        }
        double ratio = count.ratio(Side.C) / accepted.ratio;
        return ratio > LIMIT
                ? Optional.of(above(ratio, String.format(Locale.ROOT, "%.4f times C", accepted.ratio)))
                : Optional.empty();
    }

    private static String above(double times, String accepted) {
        return String.format(Locale.ROOT, "%.2f %% above the accepted %s", 100 * (times - 1), accepted);
    }

    /** Accepts figures: better and new ones, or all. Returns the changed rows. */
    List<String> accept(List<RowCounts> counts, boolean all) {
        List<String> changed = new ArrayList<>();
        for (RowCounts count : counts) {
            var next = new AcceptedCosts(count.instructions(Side.JAVA), count.ratio(Side.C));
            AcceptedCosts old = lines.get(count.title());
            if (all || old == null || (next.java < BETTER * old.java && next.ratio < old.ratio)) {
                lines.put(count.title(), next);
                changed.add(count.title());
            }
        }
        return changed;
    }

    /** Replaces the whole file. */
    void write(String here) throws IOException {
        var text = new StringBuilder(INTRODUCTION)
                .append(MACHINE)
                .append(here)
                .append('\n')
                .append(HEADER)
                .append('\n');
        lines.forEach((title, line) ->
                text.append(String.format(Locale.ROOT, "%s,%.2f,%.4f%n", title, line.java, line.ratio)));
        WholeFile.write(file, text.toString().getBytes(StandardCharsets.UTF_8));
    }
}
