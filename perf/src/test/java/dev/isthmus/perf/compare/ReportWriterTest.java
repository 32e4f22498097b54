// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

@Tag("unit")
class ReportWriterTest {

    private static final Point POINT = new Point(Way.C_UCX, Benchmark.ONE_WAY, 64, 1);

    @TempDir
    private Path dir;

    private static Document parsed(String page) throws Exception {
        return DocumentBuilderFactory.newNSInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(page)));
    }

    private static List<Element> elements(Document page, String tag) {
        var found = page.getElementsByTagNameNS("*", tag);
        return IntStream.range(0, found.getLength())
                .mapToObj(i -> (Element) found.item(i))
                .toList();
    }

    private static List<Run> runs(Point... points) {
        return Stream.of(points).flatMap(point -> MadeUp.runs(point).stream()).toList();
    }

    private static String page(Setting setting, List<Run> runs, BiFunction<Plot, String, String> painter) {
        return new HtmlReport(setting, Summary.of(runs), painter).page();
    }

    @Test
    void shouldWriteAPageThatNeedsNothingElse() throws Exception {
        List<Point> points = MadeUp.points();
        List<Run> runs =
                points.stream().flatMap(point -> MadeUp.runs(point).stream()).toList();
        String text = page(MadeUp.setting(points), runs, SvgWriter::svg);
        Document page = parsed(text);
        // two plots for each benchmark, and over connections three of throughputs and six of latencies, three over
        // percentiles of latencies
        assertEquals(5 * 2 + 2 * 3 + 3 * 6 + 3 * 3, elements(page, "svg").size());
        assertTrue(elements(page, "table").size() > elements(page, "svg").size());
        Set<String> ids = new HashSet<>();
        elements(page, "*").stream()
                .map(element -> element.getAttribute("id"))
                .filter(id -> !id.isEmpty())
                .forEach(id -> assertTrue(ids.add(id), "twice: " + id));
        for (String attribute : List.of("src", "href", "xlink:href")) {
            assertTrue(
                    elements(page, "*").stream()
                            .map(element -> element.getAttribute(attribute))
                            .allMatch(value -> value.isEmpty() || value.startsWith("#") || value.startsWith("data:")),
                    attribute);
        }
        assertFalse(text.contains("url(http") || text.contains("@import"));
    }

    @Test
    void shouldEscapeWhateverNamesAndCommandsHold() throws Exception {
        Map<String, String> lines = new LinkedHashMap<>();
        lines.put(MadeUp.HOSTILE, MadeUp.HOSTILE + "!");
        Run run = MadeUp.run(POINT, 1, 1, 1, MadeUp.HOSTILE + "?");
        Document page = parsed(page(new Setting(lines, List.of(POINT)), List.of(run), SvgWriter::svg));
        assertEquals(List.of(), elements(page, "script"));
        String shown = MadeUp.HOSTILE.replace('\0', '\uFFFD');
        assertTrue(elements(page, "th").stream()
                .anyMatch(cell -> cell.getTextContent().equals(shown)));
        assertTrue(elements(page, "td").stream()
                .anyMatch(cell -> cell.getTextContent().equals(shown + "!")));
        assertTrue(elements(page, "code").stream()
                .anyMatch(cell -> cell.getTextContent().equals(shown + "?")));
    }

    @Test
    void shouldKeepTheTablesWhenPlotsCannotBeDrawn() throws Exception {
        Document page = parsed(page(MadeUp.setting(List.of(POINT)), runs(POINT), (plot, id) -> {
            throw new NoClassDefFoundError("<no fonts>");
        }));
        assertTrue(page.getDocumentElement().getTextContent().contains("could not be drawn"));
        assertTrue(page.getDocumentElement().getTextContent().contains("<no fonts>"));
        assertEquals(0, elements(page, "svg").size());
        assertTrue(elements(page, "th").stream()
                .anyMatch(cell -> cell.getTextContent().equals("C UCX")));
    }

    @Test
    void shouldSayWhatWasPlannedAndNotMeasured() throws Exception {
        Point missing = new Point(Way.JUCX, Benchmark.ONE_WAY, 64, 1);
        Setting setting = MadeUp.setting(List.of(POINT, missing));
        Document page = parsed(page(setting, runs(POINT), (plot, id) -> ""));
        assertEquals(
                List.of("JUCX: 1 point"),
                elements(page, "li").stream().map(Element::getTextContent).toList());
        Document whole = parsed(page(setting, runs(POINT, missing), (plot, id) -> ""));
        assertEquals(List.of(), elements(whole, "li"));
    }

    @Test
    void shouldReplaceItsFilesWithWhatIsThereByNow() throws Exception {
        try (RunStore store = RunStore.create(dir, MadeUp.setting(List.of(POINT)))) {
            ReportWriter.write(dir, store);
            assertEquals(1, Files.readAllLines(dir.resolve(ReportWriter.CSV)).size());
            for (Run run : MadeUp.runs(POINT)) {
                store.add(run);
            }
            ReportWriter.write(dir, store);
            assertEquals(2, Files.readAllLines(dir.resolve(ReportWriter.CSV)).size());
            assertEquals(
                    1,
                    elements(parsed(Files.readString(dir.resolve(ReportWriter.HTML))), "svg")
                            .size());
        }
        try (Stream<Path> files = Files.list(dir)) {
            assertEquals(
                    Set.of("results.csv", "results.json", "report.html", "plots"),
                    files.map(file -> file.getFileName().toString()).collect(Collectors.toSet()));
        }
    }

    @Test
    void shouldWriteEachPlotToAFileOfItsOwn() throws Exception {
        List<Point> points = MadeUp.points().stream()
                .filter(point -> point.bytes() == 1024 && point.connections() <= 2)
                .toList();
        try (RunStore store = RunStore.create(dir, MadeUp.setting(points))) {
            for (Point point : points) {
                store.add(MadeUp.runs(point).getFirst());
            }
            ReportWriter.write(dir, store);
        }
        Document page = parsed(Files.readString(dir.resolve(ReportWriter.HTML)));
        try (Stream<Path> files = Files.list(dir.resolve(ReportWriter.PLOTS))) {
            List<Path> plots = files.toList();
            assertEquals(elements(page, "svg").size(), plots.size());
            for (Path plot : plots) {
                Document svg = parsed(Files.readString(plot));
                assertEquals(
                        "http://www.w3.org/2000/svg", svg.getDocumentElement().getNamespaceURI());
            }
        }
        assertTrue(Files.exists(dir.resolve("plots/uni-directional-throughput-verbs-1-connection.svg")));
    }

    @Test
    void shouldLeaveAFileAsItWasWhenItCannotBeReplaced() throws IOException {
        try (RunStore store = RunStore.create(dir, MadeUp.setting(List.of(POINT)))) {
            Path blocked = dir.resolve(ReportWriter.CSV);
            Files.createDirectory(blocked);
            Files.createFile(blocked.resolve("inside"));
            assertThrows(IOException.class, () -> ReportWriter.write(dir, store));
            assertTrue(Files.exists(blocked.resolve("inside")));
        }
        try (Stream<Path> files = Files.list(dir)) {
            assertTrue(files.noneMatch(file -> file.getFileName().toString().endsWith(".part")));
        }
    }

    @Test
    void shouldPrintMediansInAHundredColumns() {
        List<Run> runs = new ArrayList<>(runs(MadeUp.points().toArray(Point[]::new)));
        String table = TerminalTable.format(Summary.of(runs));
        assertTrue(table.lines().allMatch(line -> line.length() <= 100), table);
        for (Way way : Way.values()) {
            assertTrue(table.contains(way.title()), way.title());
        }
        assertTrue(table.contains("one-sided latency: average time, µs\n"), table);
        assertTrue(table.contains("bi-directional throughput, 16 connections: messages/s\n"), table);
        String small = TerminalTable.format(Summary.of(runs(POINT)));
        assertTrue(small.contains("        64 B\n"), small);
        assertTrue(small.contains("  C UCX                       "), small);
        assertEquals("Nothing was measured.\n", TerminalTable.format(List.of()));
    }
}
