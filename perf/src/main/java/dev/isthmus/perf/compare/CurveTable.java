// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import dev.isthmus.perf.Html;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/** The figures of curves, for readers who want them exactly or do not see the plot. */
record CurveTable(Plot.Across across, List<Curve> curves) {

    /** A column for each way, a row for each payload or number of connections. */
    void append(Html html, String caption) {
        html.raw("<div class=\"wide\"><table>\n").element("caption", caption).raw("<tr>");
        html.head("col", across.title());
        curves.forEach(curve -> html.head("col", curve.way().title(curve.quantity())));
        html.raw("</tr>\n");
        SortedSet<Long> rows = new TreeSet<>();
        curves.forEach(curve -> rows.addAll(curve.marks().keySet()));
        for (long row : rows) {
            html.raw("<tr>").head("row", across.label(row));
            curves.forEach(curve -> append(html, curve.marks().get(row), curve.sign(row)));
            html.raw("</tr>\n");
        }
        html.raw("</table></div>\n");
    }

    private static void append(Html html, Spread spread, String sign) {
        html.raw("<td>");
        if (spread != null) {
            html.text(Numbers.figure(spread.median()) + sign);
            Spread.Range bar = spread.bar();
            if (bar.low() < bar.high()) {
                html.raw("<small>")
                        .text(Numbers.figure(bar.low()) + "–" + Numbers.figure(bar.high()))
                        .raw("</small>");
            }
        }
        html.raw("</td>");
    }
}
