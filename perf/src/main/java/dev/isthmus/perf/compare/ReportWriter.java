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

/** Writes what a comparison has measured so far: a table for programs, a page for people. */
final class ReportWriter {

    static final String CSV = "results.csv";
    static final String HTML = "report.html";
    static final String PLOTS = "plots";

    private ReportWriter() {}

    /**
     * Writes {@code results.csv} and {@code report.html}, each replaced whole or not at all. Also writes each plot of the
     * page to a file of its own.
     *
     * @param dir where to write
     * @param store may be written to meanwhile
     */
    static void write(Path dir, RunStore store) throws IOException {
        List<Summary> summaries = Summary.of(store.runs());
        write(dir.resolve(CSV), ResultsCsv.of(summaries));
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
    }

    /** Named after the plot's title, which no other plot of the page has. */
    static String fileName(Plot plot) {
        return plot.title().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9.]+", "-") + ".svg";
    }

    private static void write(Path file, String text) throws IOException {
        WholeFile.write(file, text.getBytes(StandardCharsets.UTF_8));
    }
}
