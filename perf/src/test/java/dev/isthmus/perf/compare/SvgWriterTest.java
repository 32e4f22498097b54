// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.Color;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.InputSource;

@Tag("unit")
class SvgWriterTest {

    private static final double PIXEL = 1;

    /** A straight line of a plot, with its colour and dashes, which may be inherited. */
    private record Line(double x1, double y1, double x2, double y2, String stroke, boolean dashed) {

        double width() {
            return Math.abs(x2 - x1);
        }

        double height() {
            return Math.abs(y2 - y1);
        }

        boolean isSlope() {
            return width() > PIXEL && height() > PIXEL;
        }
    }

    private static Document parsed(Plot plot) throws Exception {
        return DocumentBuilderFactory.newNSInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(SvgWriter.svg(plot, "p"))));
    }

    private static List<Line> lines(Document svg, Way way) {
        Color color = Look.of(way).color();
        String stroke = "rgb(" + color.getRed() + "," + color.getGreen() + "," + color.getBlue() + ")";
        List<Line> lines = new ArrayList<>();
        var elements = svg.getElementsByTagNameNS("*", "line");
        for (int i = 0; i < elements.getLength(); i++) {
            var line = (Element) elements.item(i);
            if (inherited(line, "stroke").equals(stroke)) {
                boolean dashed = !Set.of("", "none").contains(inherited(line, "stroke-dasharray"));
                lines.add(new Line(
                        number(line, "x1"),
                        number(line, "y1"),
                        number(line, "x2"),
                        number(line, "y2"),
                        stroke,
                        dashed));
            }
        }
        return lines;
    }

    private static double number(Element line, String name) {
        return Double.parseDouble(line.getAttribute(name));
    }

    private static String inherited(Element element, String name) {
        for (Node node = element; node instanceof Element each; node = node.getParentNode()) {
            if (each.hasAttribute(name)) {
                return each.getAttribute(name);
            }
        }
        return "";
    }

    private static Run run(Way way, Benchmark benchmark, long bytes, double micros, double rate) {
        return MadeUp.run(new Point(way, benchmark, bytes, 1), 1, micros, rate, "");
    }

    private static Plot latency(List<Run> runs) {
        return Plots.overPayload(Benchmark.PING_PONG, Summary.of(runs)).getFirst();
    }

    @Test
    void shouldDrawEveryWaysCurve() throws Exception {
        List<Run> runs = new ArrayList<>();
        for (Point point : MadeUp.points()) {
            runs.addAll(MadeUp.runs(point));
        }
        List<Summary> all = Summary.of(runs);
        for (Benchmark benchmark : Benchmark.values()) {
            Set<Way> drawn = new HashSet<>();
            for (Plot plot : Plots.overPayload(benchmark, all)) {
                Document svg = parsed(plot);
                for (Curve curve : plot.curves()) {
                    drawn.add(curve.way());
                    long slopes = lines(svg, curve.way()).stream()
                            .filter(line -> line.dashed() == (curve.quantity() == Quantity.MEGABYTES))
                            .filter(line -> line.width() > 10 && line.width() < 30)
                            .count();
                    assertTrue(slopes >= 20, plot.title() + ": " + curve.way() + " has " + slopes);
                }
            }
            assertEquals(Set.of(Way.values()), drawn);
        }
    }

    @Test
    void shouldHaveLogarithmicAxes() throws Exception {
        Document svg = parsed(latency(List.of(
                run(Way.JAVA_UCX, Benchmark.PING_PONG, 4, 2, 1),
                run(Way.JAVA_UCX, Benchmark.PING_PONG, 8, 20, 1),
                run(Way.JAVA_UCX, Benchmark.PING_PONG, 16, 200, 1))));
        List<Line> slopes =
                lines(svg, Way.JAVA_UCX).stream().filter(Line::isSlope).toList();
        assertEquals(2, slopes.size(), slopes.toString());
        assertEquals(slopes.get(0).width(), slopes.get(1).width(), PIXEL);
        assertEquals(slopes.get(0).height(), slopes.get(1).height(), PIXEL);
        assertTrue(slopes.get(0).height() > 50);
        assertTrue(slopes.get(0).y1() > slopes.get(0).y2(), "more is above");
    }

    @Test
    void shouldDrawPercentilesInStepsOfATenthOfTheOperations() throws Exception {
        Run run = run(Way.JUCX, Benchmark.PING_PONG, 8, 10, 1); // of a thousand operations
        Plot plot = Plots.overPercentiles(Benchmark.PING_PONG, Summary.of(List.of(run)))
                .getFirst();
        List<Line> parts = lines(parsed(plot), Way.JUCX).stream()
                .filter(line -> line.width() > PIXEL)
                .sorted(Comparator.comparingDouble(Line::x1))
                .limit(9) // the legend has another, further right
                .toList();
        double[] steps = new double[3]; // to 90 %, 99 % and 99.9 %, by 50 %, 80 %, 95 %, 98 % and so on
        for (int i = 0; i < parts.size(); i++) {
            steps[i / 3] += parts.get(i).width();
        }
        assertEquals(steps[0], steps[1], 2 * PIXEL);
        assertEquals(steps[0], steps[2], 2 * PIXEL);
        assertTrue(steps[0] > 100, parts.toString());
        assertEquals(steps[0] * Math.log10(2), parts.getFirst().width(), 2 * PIXEL);
        double decade = parts.getFirst().y1() - parts.getLast().y2(); // from 10 to 30 us
        assertTrue(decade > 50, parts.toString());
    }

    @Test
    void shouldDrawErrorBarsFromTheMinimumToTheMaximum() throws Exception {
        Document svg = parsed(latency(List.of(
                run(Way.JUCX, Benchmark.PING_PONG, 4, 1, 1),
                run(Way.JUCX, Benchmark.PING_PONG, 4, 10, 1),
                run(Way.JUCX, Benchmark.PING_PONG, 4, 1000, 1),
                run(Way.JUCX, Benchmark.PING_PONG, 8, 100, 1),
                run(Way.C_UCX, Benchmark.PING_PONG, 4, 50, 1))));
        List<Line> lines = lines(svg, Way.JUCX);
        Line decade = lines.stream().filter(Line::isSlope).findFirst().orElseThrow(); // from 10 to 100
        List<Line> bars = lines.stream()
                .filter(line -> line.width() < PIXEL && line.height() > PIXEL)
                .toList();
        assertEquals(1, bars.size(), bars.toString());
        Line bar = bars.getFirst();
        assertEquals(decade.x1(), bar.x1(), PIXEL);
        assertEquals(3 * decade.height(), bar.height(), PIXEL);
        assertEquals(decade.y1() + decade.height(), Math.max(bar.y1(), bar.y2()), PIXEL);
        assertTrue(lines(svg, Way.C_UCX).stream().noneMatch(line -> line.height() > PIXEL), "one run has no bar");
    }

    @Test
    void shouldDrawMegabytesDashedByTheRightAxisWithDecadesAsHigh() throws Exception {
        Plot plot = Plots.overPayload(
                        Benchmark.ONE_WAY,
                        Summary.of(List.of(
                                run(Way.C_VERBS_SEND, Benchmark.ONE_WAY, 1, 1, 1e6),
                                run(Way.C_VERBS_SEND, Benchmark.ONE_WAY, 1024, 1, 1e5))))
                .getFirst();
        assertEquals(
                plot.left().decades().count(),
                plot.right().orElseThrow().decades().count());
        List<Line> slopes = lines(parsed(plot), Way.C_VERBS_SEND).stream()
                .filter(Line::isSlope)
                .toList();
        Line messages =
                slopes.stream().filter(line -> !line.dashed()).findFirst().orElseThrow();
        Line bytes = slopes.stream().filter(Line::dashed).findFirst().orElseThrow();
        assertEquals(2, slopes.size());
        assertTrue(messages.y1() < messages.y2() && bytes.y1() > bytes.y2(), slopes.toString());
        // from 1 to 102.4 MB/s, and from 1,000,000 to 100,000 messages/s
        assertEquals(messages.height() * Math.log10(102.4), bytes.height(), 2 * PIXEL);
    }

    @Test
    void shouldSayWhatIsSeenAndHideNothingThatRuns() throws Exception {
        Plot plot = latency(List.of(
                run(Way.JAVA_UCX, Benchmark.PING_PONG, 1, 2, 1), run(Way.JAVA_UCX, Benchmark.PING_PONG, 1024, 20, 1)));
        Document svg = parsed(plot);
        Element root = svg.getDocumentElement();
        assertEquals("img", root.getAttribute("role"));
        assertEquals("p-title p-description", root.getAttribute("aria-labelledby"));
        assertEquals("0 0 900 520", root.getAttribute("viewBox"));
        assertEquals(
                plot.title(), root.getElementsByTagNameNS("*", "title").item(0).getTextContent());
        String description = root.getElementsByTagNameNS("*", "desc").item(0).getTextContent();
        assertTrue(description.contains("Java UCX: 2.00 µs at 1 B, 20.0 µs at 1 KiB"), description);
        assertEquals(0, root.getElementsByTagNameNS("*", "script").getLength());
        assertEquals(0, root.getElementsByTagNameNS("*", "image").getLength());
    }

    @Test
    void shouldLeaveOutWhatALogAxisCannotShow() throws Exception {
        Run none = run(Way.NIO_BLOCKING, Benchmark.ONE_WAY, 64, 0, 0);
        assertTrue(
                Plots.overPayload(Benchmark.ONE_WAY, Summary.of(List.of(none))).isEmpty());
        Run some = run(Way.NIO_BLOCKING, Benchmark.ONE_WAY, 100, 1, 7);
        List<Plot> plots = Plots.overPayload(Benchmark.ONE_WAY, Summary.of(List.of(none, some)));
        assertEquals(1, plots.size());
        assertFalse(lines(parsed(plots.getFirst()), Way.NIO_BLOCKING).isEmpty());
    }
}
