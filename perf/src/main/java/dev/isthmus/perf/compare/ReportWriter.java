// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import dev.isthmus.perf.WholeFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Writes what a comparison has measured so far: a table and a complete file for programs, a page for people. */
final class ReportWriter {

    static final String CSV = "results.csv";
    static final String JSON = "results.json";
    static final String HTML = "report.html";
    static final String PLOTS = "plots";
    static final String HISTOGRAMS = "histograms";

    private ReportWriter() {}

    /**
     * Writes {@code results.csv}, {@code results.json} and {@code report.html}, each replaced whole or not at all. Also
     * writes each plot of the page, and the percentiles of each point, to files of their own.
     *
     * @param dir where to write
     * @param store may be written to meanwhile
     */
    static void write(Path dir, RunStore store) throws IOException {
        List<Run> runs = store.runs();
        List<Summary> summaries = Summary.of(runs);
        write(dir.resolve(CSV), ResultsFiles.csv(summaries));
        write(dir.resolve(JSON), ResultsFiles.json(store.setting(), summaries, runs));
        Map<String, String> plots = new LinkedHashMap<>();
        write(
                dir.resolve(HTML),
                new HtmlReport(store.setting(), summaries, (plot, id) -> {
                            String svg = SvgWriter.svg(plot, id);
                            plots.put(fileName(plot), svg);
                            return svg;
                        })
                        .page());
        Path folder = Files.createDirectories(dir.resolve(PLOTS));
        for (Map.Entry<String, String> plot : plots.entrySet()) {
            write(folder.resolve(plot.getKey()), plot.getValue() + "\n");
        }
        for (Summary summary : summaries) {
            if (!summary.times().isEmpty()) {
                Path histograms = Files.createDirectories(dir.resolve(HISTOGRAMS));
                Distribution all = Distribution.together(summary.times());
                write(histograms.resolve(fileName(summary.point())), all.hgrm());
            }
        }
    }

    /** Named after the point's options. */
    static String fileName(Point point) {
        return point.benchmark().id() + "_" + point.way().id() + "_" + point.bytes()
                + (point.connections() == 1 ? "" : "_connections-" + point.connections())
                + (point.rate() == 0 ? "" : "_rate-" + point.rate()) + ".hgrm";
    }

    /** Named after the plot's title, which no other plot of the page has. */
    static String fileName(Plot plot) {
        return plot.title().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9.]+", "-") + ".svg";
    }

    private static void write(Path file, String text) throws IOException {
        WholeFile.write(file, text.getBytes(StandardCharsets.UTF_8));
    }
}
