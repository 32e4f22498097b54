package dev.isthmus.perf.compare;

import dev.isthmus.perf.WholeFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** Writes what a comparison has measured so far: a table for programs, everything for programs, a page for people. */
final class ReportWriter {

    static final String CSV = "results.csv";
    static final String JSON = "results.json";
    static final String HTML = "report.html";

    private ReportWriter() {}

    /**
     * Writes {@code results.csv}, {@code results.json} and {@code report.html}, each replaced whole or not at all.
     *
     * @param dir where to
     * @param store may be written to meanwhile
     */
    static void write(Path dir, RunStore store) throws IOException {
        List<Run> runs = store.runs();
        List<Summary> summaries = Summary.of(runs);
        write(dir.resolve(CSV), ResultsFiles.csv(summaries));
        write(dir.resolve(JSON), ResultsFiles.json(store.setting(), summaries, runs));
        write(dir.resolve(HTML), new HtmlReport(store.setting(), summaries, SvgWriter::svg).page());
    }

    private static void write(Path file, String text) throws IOException {
        WholeFile.write(file, text.getBytes(StandardCharsets.UTF_8));
    }
}
