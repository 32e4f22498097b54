// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.AxesChartStyler.TextAlignment;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.Styler.YAxisPosition;
import org.knowm.xchart.style.XYStyler;
import org.knowm.xchart.style.lines.SeriesLines;
import org.knowm.xchart.style.markers.None;

/** Draws plots by XChart. */
final class PlotPainter {

    static final int WIDTH = 900;
    static final int HEIGHT = 520;

    private static final Color TEXT = new Color(0x1A1A1A);
    private static final Color GRID = new Color(0xDDDDDD);
    private static final BasicStroke SOLID = new BasicStroke(2);
    private static final BasicStroke DASHED =
            new BasicStroke(1.5f, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 1, new float[] {6, 4}, 0);

    private static final int RIGHT = 1;

    /** The approximate length of the axis between names and legend. */
    private static final int AXIS_PIXELS = 600;

    private final Plot plot;
    private final XYChart chart;

    private PlotPainter(Plot plot) {
        this.plot = plot;
        // The page has the title above the plot, as text.
        chart = new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .xAxisTitle(plot.across().title())
                .build();
    }

    /** Needs no display, but fontconfig and a font. */
    static XYChart chart(Plot plot) {
        var painter = new PlotPainter(plot);
        painter.style();
        painter.acrossAxis();
        painter.side(0, plot.left());
        plot.right().ifPresent(side -> painter.side(RIGHT, side));
        plot.curves().forEach(painter::curve);
        return painter.chart;
    }

    private void style() {
        XYStyler styler = chart.getStyler();
        styler.setChartTitleVisible(false);
        styler.setChartBackgroundColor(Color.WHITE);
        styler.setChartFontColor(TEXT);
        styler.setChartPadding(8);
        styler.setLegendPosition(LegendPosition.OutsideE);
        styler.setLegendFont(new Font(Font.SANS_SERIF, Font.PLAIN, 13));
        styler.setLegendBorderColor(Color.WHITE);
        styler.setLegendSeriesLineLength(30);
        styler.setLegendPadding(8);
        styler.setMarkerSize(8);
        styler.setPlotBorderColor(TEXT);
        styler.setPlotGridLinesColor(GRID);
        styler.setPlotGridLinesStroke(new BasicStroke(0.5f));
        styler.setPlotContentSize(0.95);
        styler.setAxisTitleFont(new Font(Font.SANS_SERIF, Font.BOLD, 13));
        styler.setAxisTickLabelsFont(new Font(Font.SANS_SERIF, Font.PLAIN, 12));
        styler.setAxisTickLabelsColor(TEXT);
        styler.setAxisTickMarksColor(TEXT);
        styler.setErrorBarsColorSeriesColor(true);
        styler.setYAxisLabelAlignment(TextAlignment.Right);
        styler.setYAxisLogarithmic(true);
        styler.setYAxisLogarithmicDecadeOnly(true);
        styler.setYAxisDecimalPattern("#,##0.######");
        styler.setLocale(Locale.ROOT);
    }

    /**
     * Payloads are powers of two, but XChart's logarithmic axis only knows powers of ten, so it gets the logarithms
     * of both.
     */
    private void acrossAxis() {
        double[] all = plot.curves().stream()
                .map(Curve::marks)
                .map(Map::keySet)
                .flatMap(Collection::stream)
                .mapToDouble(plot.across()::position)
                .toArray();
        int first = (int) Math.floor(DoubleStream.of(all).min().orElse(0));
        int last =
                Math.max(first + 1, (int) Math.ceil(DoubleStream.of(all).max().orElse(0)));
        XYStyler styler = chart.getStyler();
        styler.setXAxisMin((double) first);
        styler.setXAxisMax((double) last);
        styler.setxAxisTickLabelsFormattingFunction(
                x -> plot.across().label(Math.pow(plot.across().base(), x)));
        if (plot.across().base() == 10) {
            styler.setXAxisTickMarkSpacingHint(AXIS_PIXELS / (last - first)); // one for each power
        }
        // XChart puts ticks where values are. This makes them fall on every power, as far as there is room.
        double[] ticks = IntStream.rangeClosed(first, last).asDoubleStream().toArray();
        chart.addSeries(
                        "ticks",
                        ticks,
                        DoubleStream.generate(() -> 1).limit(ticks.length).toArray())
                .setEnabled(false);
    }

    private void side(int group, Plot.Side side) {
        String stroke = plot.right().isEmpty() ? "" : group == RIGHT ? " (dashed)" : " (solid)";
        chart.setYAxisGroupTitle(group, side.quantity().unit() + stroke);
        XYStyler styler = chart.getStyler();
        styler.setYAxisGroupPosition(group, group == RIGHT ? YAxisPosition.Right : YAxisPosition.Left);
        styler.setYAxisMin(group, Math.pow(10, side.decades().low()));
        styler.setYAxisMax(group, Math.pow(10, side.decades().high()));
    }

    private void curve(Curve curve) {
        double[] x = curve.marks().keySet().stream()
                .mapToDouble(plot.across()::position)
                .toArray();
        Collection<Spread> spreads = curve.marks().values();
        double[] medians = spreads.stream().mapToDouble(Spread::median).toArray();
        XYSeries line = series(curve, "line", x, medians, null);
        line.setLabel(curve.way().title());
        line.setLineStyle(isRight(curve) ? DASHED : SOLID);
        line.setShowInLegend(!isRight(curve));
        if (spreads.stream().map(Spread::bar).anyMatch(bar -> bar.low() < bar.high())) {
            // XChart's error bars reach equally far up and down.
            double[] middles = spreads.stream()
                    .map(Spread::bar)
                    .mapToDouble(bar -> (bar.low() + bar.high()) / 2)
                    .toArray();
            double[] halves = spreads.stream()
                    .map(Spread::bar)
                    .mapToDouble(bar -> (bar.high() - bar.low()) / 2)
                    .toArray();
            XYSeries bars = series(curve, "error bars", x, middles, halves);
            bars.setLineStyle(SeriesLines.NONE);
            bars.setMarker(new None());
        }
        // Drawn once more, above the lines.
        series(curve, "markers", x, medians, null).setLineStyle(SeriesLines.NONE);
    }

    private boolean isRight(Curve curve) {
        return plot.right().map(side -> side.quantity() == curve.quantity()).orElse(false);
    }

    private XYSeries series(Curve curve, String part, double[] x, double[] y, double[] errors) {
        Look look = Look.of(curve.way());
        XYSeries series = chart.addSeries(curve.way().id() + " " + curve.quantity() + " " + part, x, y, errors);
        series.setYAxisGroup(isRight(curve) ? RIGHT : 0);
        series.setLineColor(look.color());
        series.setMarkerColor(look.color());
        series.setMarker(look.marker());
        series.setShowInLegend(false);
        return series;
    }
}
