// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import dev.isthmus.perf.Html;
import java.awt.AWTError;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;

/** The report for people: a single page that needs no other file. */
final class HtmlReport {

    private static final String STYLE = """
            :root { color-scheme: light; }
            body { max-width: 960px; margin: 0 auto; padding: 1em; background: #fff; color: #1a1a1a;
              font: 16px/1.5 system-ui, sans-serif; }
            h1, h2, h3 { line-height: 1.2; }
            h2 { margin-top: 2em; border-bottom: 1px solid #999; }
            figure { margin: 1em 0; }
            figure svg { width: 100%; height: auto; }
            .wide { overflow-x: auto; }
            table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; margin: .5em 0 1em; }
            caption { text-align: left; font-weight: bold; padding: .3em 0; }
            th, td { border: 1px solid #bbb; padding: .15em .5em; text-align: right; vertical-align: top; }
            th { background: #f0f0f0; }
            td.text, .lines th { text-align: left; }
            td small { display: block; color: #555; white-space: nowrap; }
            code { font-size: 12px; overflow-wrap: anywhere; }
            .missing { border-left: 4px solid #c24a00; padding-left: .7em; }
            summary { cursor: pointer; }
            """;

    private final Setting setting;
    private final List<Summary> summaries;
    private final BiFunction<Plot, String, String> painter;
    private final Html html = new Html();
    private int plots;

    /**
     * Creates a report.
     *
     * @param painter makes an SVG element of a plot and an id
     */
    HtmlReport(Setting setting, List<Summary> summaries, BiFunction<Plot, String, String> painter) {
        this.setting = setting;
        this.summaries = summaries;
        this.painter = painter;
    }

    /** The page, which is also XML. */
    String page() {
        html.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n")
                .raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n")
                .element("title", "Isthmus: ways to communicate, compared")
                .raw("<style>\n" + STYLE + "</style>\n</head>\n<body>\n");
        html.element("h1", "Ways to communicate, compared");
        html.element(
                "p",
                "Marks are the medians of a point's runs. " + Doubts.ofSpread(summaries) + " Both axes of a plot are"
                        + " logarithmic. MB/s are 10^6 bytes of payload per second. A throughput counts the"
                        + " messages of all connections and directions together.");
        if (Quantity.isMixed(summaries)) {
            html.element("p", "Of the times that 99.9 % stayed below, those of UCX are " + Quantity.LAST_MESSAGES_NOTE);
        }
        missing();
        doubts();
        behind();
        settingTable();
        for (Benchmark benchmark : Benchmark.values()) {
            benchmark(benchmark);
        }
        commands();
        return html.raw("</body>\n</html>\n").toString();
    }

    private void settingTable() {
        html.element("h2", "Setting").raw("<table class=\"lines\">\n");
        setting.lines().forEach((name, value) -> {
            html.raw("<tr>").head("row", name);
            html.element("td", "text", value).raw("</tr>\n");
        });
        html.raw("</table>\n");
        if (summaries.stream().allMatch(each -> each.overheadBytesPerMessage().isEmpty())) {
            html.element("p", "The device does not count what protocols add on the wire.");
        }
    }

    /** The runs that were planned and are missing. */
    private void missing() {
        Set<Point> measured = new HashSet<>();
        summaries.forEach(summary -> measured.add(summary.point()));
        Map<Way, Integer> missing = new LinkedHashMap<>();
        for (Point point : setting.points()) {
            if (!measured.contains(point)) {
                missing.merge(point.way(), 1, Integer::sum);
            }
        }
        if (missing.isEmpty()) {
            return;
        }
        html.raw("<div class=\"missing\" role=\"note\">\n");
        html.element("p", "Of " + setting.points().size() + " planned points these have no run:");
        html.raw("<ul>\n");
        missing.forEach(
                (way, count) -> html.element("li", way.title() + ": " + count + (count == 1 ? " point" : " points")));
        html.raw("</ul>\n</div>\n");
    }

    /** What the stars in the tables mean, and how many runs of each way have one. */
    private void doubts() {
        Doubts.of(summaries).ifPresent(doubts -> {
            html.raw("<div class=\"missing\" role=\"note\">\n").element("p", doubts);
            html.raw("<ul>\n");
            Doubts.byWay(summaries).forEach(line -> html.element("li", line));
            html.raw("</ul>\n</div>\n");
        });
    }

    /** The rates that some ways could not keep up with. */
    private void behind() {
        List<String> behind = Doubts.behind(summaries);
        if (!behind.isEmpty()) {
            html.raw("<div class=\"missing\" role=\"note\">\n");
            html.element("p", "These could not keep up with their rate, in one run at least, which then has no times:");
            html.raw("<ul>\n");
            behind.forEach(line -> html.element("li", line));
            html.raw("</ul>\n</div>\n");
        }
    }

    private void benchmark(Benchmark benchmark) {
        List<Plot> overPayload = Plots.overPayload(benchmark, summaries);
        if (overPayload.isEmpty()) {
            return;
        }
        html.element("h2", capitalized(benchmark.title()));
        overPayload.forEach(this::plot);
        List<Plot> overPercentiles = Plots.overPercentiles(benchmark, summaries);
        if (!overPercentiles.isEmpty()) {
            html.element("h3", capitalized(benchmark.title()) + " over percentiles");
            html.element(
                    "p",
                    "A line is of all runs of a point together; bars reach from the least to the most of one run.");
            overPercentiles.forEach(this::plot);
        }
        figures(benchmark, Quantity.OFFERED, "Rates", "Round trips begun in a second");
        figures(
                benchmark,
                Quantity.PROCESSOR,
                "Processor time",
                "Microseconds per message, both ends together, of programs and of the kernel on their behalf");
        figures(benchmark, Quantity.OVERHEAD, "What protocols add on the wire", "Bytes per message beyond the payload");
        List<Plot> overRates = Plots.overRates(benchmark, summaries);
        if (!overRates.isEmpty()) {
            html.element("h3", capitalized(benchmark.title()) + " over rates");
            overRates.forEach(this::plot);
        }
        List<Plot> overConnections = Plots.overConnections(benchmark, summaries);
        if (!overConnections.isEmpty()) {
            html.element("h3", capitalized(benchmark.title()) + " over connections");
            overConnections.forEach(this::plot);
        }
    }

    private void plot(Plot plot) {
        html.raw("<figure>\n").element("figcaption", capitalized(plot.title()));
        plots++;
        try {
            html.raw(painter.apply(plot, "plot-" + plots)).raw("\n");
        } catch (RuntimeException | LinkageError | AWTError e) {
            // Java can fail in many ways here; the tables still have the figures.
            html.element(
                    "p",
                    "missing",
                    "This plot could not be drawn. Java needs fontconfig, HarfBuzz and a font (Debian: apt-get install"
                            + " fontconfig libharfbuzz0b fonts-dejavu-core): " + e);
        }
        html.raw("</figure>\n");
        table(plot, plot.left().quantity());
        plot.right().ifPresent(side -> table(plot, side.quantity()));
    }

    private void table(Plot plot, Quantity quantity) {
        List<Curve> curves = plot.curves().stream()
                .filter(curve -> curve.quantity() == quantity)
                .toList();
        String unit = quantity == Quantity.MESSAGES ? "messages/s" : quantity.title() + ", " + quantity.unit();
        new CurveTable(plot.across(), curves).append(html, capitalized(unit));
    }

    private void figures(Benchmark benchmark, Quantity quantity, String heading, String caption) {
        List<Curve> curves = Curve.of(Plots.plain(benchmark, summaries), quantity, Point::bytes);
        if (!curves.isEmpty()) {
            html.element("h3", heading);
            new CurveTable(Plot.Across.PAYLOAD, curves).append(html, caption);
        }
    }

    private void commands() {
        html.element("h2", "Commands")
                .element(
                        "p",
                        "Each repeats the last run of a point, both ends. Where the ends are JVMs they get the same flags and the same"
                                + " warm-up; the flags of each run are in results.json.");
        html.raw("<details>\n").element("summary", summaries.size() + " commands");
        html.raw("<div class=\"wide\"><table>\n<tr>");
        List.of("benchmark", "way", "payload", "connections", "runs", "command")
                .forEach(name -> html.head("col", name));
        html.raw("</tr>\n");
        for (Summary summary : summaries) {
            Point point = summary.point();
            html.raw("<tr>").element("td", "text", point.benchmark().title());
            html.element("td", "text", point.way().title());
            html.element("td", Numbers.bytes(point.bytes())).element("td", "" + point.connections());
            html.element("td", "" + summary.runs());
            html.raw("<td class=\"text\">").element("code", summary.command()).raw("</td></tr>\n");
        }
        html.raw("</table></div>\n</details>\n");
    }

    private static String capitalized(String text) {
        return Character.toUpperCase(text.charAt(0)) + text.substring(1);
    }
}
