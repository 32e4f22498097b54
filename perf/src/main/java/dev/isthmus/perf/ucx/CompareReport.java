// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.ucx;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.isthmus.perf.Machine;
import dev.isthmus.perf.Side;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** Prints a comparison for people and for programs. */
final class CompareReport {

    private CompareReport() {}

    /** The table. */
    static String table(List<Figures> all, Machine machine, String date) {
        var out = new StringBuilder();
        line(out, "%-22s %5s %10s %10s %10s %8s %8s", "", "unit", "C", "Java", "JUCX", "Java/C", "JUCX/C");
        for (Figures figures : all) {
            line(
                    out,
                    "%-22s %5s %10s %10s %10s %8s %8s",
                    figures.cell().title(),
                    figures.cell().unit(),
                    number(Side.C, figures),
                    number(Side.JAVA, figures),
                    number(Side.JUCX, figures),
                    ratio(figures.ratio(Side.JAVA)),
                    ratio(figures.ratio(Side.JUCX)));
        }
        line(out, "");
        line(out, "Medians of the rounds: of latency the median of a round, of bandwidth a round's average.");
        line(out, "Below 1 is better for latency, above 1 for bandwidth. %s", date);
        line(out, "%s", machine.inWords());
        for (Figures figures : all) {
            for (Side name : Side.values()) {
                figures.failure(name)
                        .ifPresent(why -> line(out, "%s, %s: %s", figures.cell().title(), name.title(), why));
            }
        }
        return out.toString();
    }

    private static String number(Side name, Figures figures) {
        OptionalDouble value = figures.median(name);
        if (value.isEmpty()) {
            return figures.failure(name).isPresent() ? "failed" : "-";
        }
        String format = figures.cell().bandwidth() ? "%.0f" : "%.3f";
        return String.format(Locale.ROOT, format, value.getAsDouble());
    }

    private static String ratio(OptionalDouble value) {
        return value.isPresent() ? String.format(Locale.ROOT, "%.2f", value.getAsDouble()) : "-";
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation is in a library that is not a dependency
    private static void line(StringBuilder out, String format, Object... values) {
        out.append(String.format(Locale.ROOT, format, values).stripTrailing()).append('\n');
    }

    /** A line for each round of each cell. */
    static String csv(List<Figures> all) {
        var out = new StringBuilder("cell,unit,contender,round,figure\n");
        for (Figures figures : all) {
            for (Side name : Side.values()) {
                List<Double> rounds = figures.rounds(name);
                for (int i = 0; i < rounds.size(); i++) {
                    line(
                            out,
                            "%s,%s,%s,%d,%s",
                            figures.cell().title(),
                            figures.cell().unit(),
                            name.title(),
                            i + 1,
                            rounds.get(i));
                }
            }
        }
        return out.toString();
    }

    /** Everything; incomplete if it was stopped. */
    static String json(List<Figures> all, Machine machine, String date, boolean complete) throws IOException {
        var report =
                new Whole(date, complete, machine, all.stream().map(Line::of).toList());
        return new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValueAsString(report) + "\n";
    }

    /** A comparison as JSON has it. */
    record Whole(String date, boolean complete, Machine machine, List<Line> cells) {}

    /** A cell, with the sides by their names. */
    record Line(
            String cell,
            String unit,
            @JsonProperty("C") SideRounds c,
            @JsonProperty("Java") SideRounds java,
            @JsonProperty("JUCX") SideRounds jucx) {

        static Line of(Figures figures) {
            return new Line(
                    figures.cell().title(),
                    figures.cell().unit(),
                    SideRounds.of(figures, Side.C),
                    SideRounds.of(figures, Side.JAVA),
                    SideRounds.of(figures, Side.JUCX));
        }
    }

    /** A side's rounds at a cell; what there is not is null, and left out. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record SideRounds(Double median, Double byC, List<Double> rounds, String failure) {

        static SideRounds of(Figures figures, Side side) {
            return new SideRounds(
                    orNull(figures.median(side)),
                    orNull(figures.ratio(side)),
                    figures.rounds(side),
                    figures.failure(side).orElse(null));
        }

        private static Double orNull(OptionalDouble value) {
            return value.isPresent() ? value.getAsDouble() : null;
        }
    }
}
