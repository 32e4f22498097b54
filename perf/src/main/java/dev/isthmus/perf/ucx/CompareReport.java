// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.ucx;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.isthmus.perf.demo.Machine;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;

/** A comparison for people and for programs. */
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
                    number(Contender.Name.C, figures),
                    number(Contender.Name.JAVA, figures),
                    number(Contender.Name.JUCX, figures),
                    ratio(figures.ratio(Contender.Name.JAVA)),
                    ratio(figures.ratio(Contender.Name.JUCX)));
        }
        line(out, "");
        line(out, "Medians of the rounds: of latency the median of a round, of bandwidth a round's average.");
        line(out, "Below 1 is better for latency, above 1 for bandwidth. %s", date);
        line(
                out,
                "%s; %d x %s; %s; %s",
                machine.kernel(),
                machine.cpus(),
                machine.cpu(),
                machine.jdk(),
                versions(machine));
        for (Figures figures : all) {
            for (Contender.Name name : Contender.Name.values()) {
                figures.failure(name)
                        .ifPresent(why -> line(out, "%s, %s: %s", figures.cell().title(), name.title(), why));
            }
        }
        return out.toString();
    }

    private static String versions(Machine machine) {
        return machine.versions().entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(version -> version.getKey() + " " + version.getValue())
                .reduce((a, b) -> a + ", " + b)
                .orElse("");
    }

    private static String number(Contender.Name name, Figures figures) {
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

    @SuppressWarnings("AnnotateFormatMethod") // the annotation is in a library that is not depended on
    private static void line(StringBuilder out, String format, Object... values) {
        out.append(String.format(Locale.ROOT, format, values).stripTrailing()).append('\n');
    }

    /** A line for each round of each cell. */
    static String csv(List<Figures> all) {
        var out = new StringBuilder("cell,unit,contender,round,figure\n");
        for (Figures figures : all) {
            for (Contender.Name name : Contender.Name.values()) {
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

    /** Everything; not complete when it was stopped. */
    static String json(List<Figures> all, Machine machine, String date, boolean complete) throws IOException {
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("date", date);
        report.put("complete", complete);
        report.put("machine", machine);
        report.put("cells", all.stream().map(CompareReport::cell).toList());
        return new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValueAsString(report) + "\n";
    }

    private static Map<String, Object> cell(Figures figures) {
        Map<String, Object> cell = new LinkedHashMap<>();
        cell.put("cell", figures.cell().title());
        cell.put("unit", figures.cell().unit());
        for (Contender.Name name : Contender.Name.values()) {
            Map<String, Object> one = new LinkedHashMap<>();
            figures.median(name).ifPresent(median -> one.put("median", median));
            figures.ratio(name).ifPresent(ratio -> one.put("byC", ratio));
            one.put("rounds", figures.rounds(name));
            figures.failure(name).ifPresent(why -> one.put("failure", why));
            cell.put(name.title(), one);
        }
        return cell;
    }
}
