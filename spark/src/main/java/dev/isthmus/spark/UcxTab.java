// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import jakarta.servlet.http.HttpServletRequest;
import org.apache.spark.ui.SparkUI;
import org.apache.spark.ui.SparkUITab;
import org.apache.spark.ui.UIUtils;
import org.apache.spark.ui.WebUIPage;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.xml.Node;
import scala.xml.Unparsed;

/**
 * A tab in Spark's web UI: one row for each executor, with its transports, and what came over UCX and over Spark's
 * own transfer.
 */
final class UcxTab extends SparkUITab {

    private UcxTab(SparkUI ui, ExecutorReports reports) {
        super(ui, "ucx");
        attachPage(new Page(this, reports));
    }

    /** The name of the tab. */
    @Override
    public String name() {
        return "UCX";
    }

    static void attach(SparkUI ui, ExecutorReports reports) {
        ui.attachTab(new UcxTab(ui, reports));
    }

    private static final class Page extends WebUIPage {
        private final UcxTab tab;
        private final ExecutorReports reports;

        Page(UcxTab tab, ExecutorReports reports) {
            super("");
            this.tab = tab;
            this.reports = reports;
        }

        @Override
        public Seq<Node> render(HttpServletRequest request) {
            return UIUtils.headerSparkPage(
                    request,
                    "Shuffle over UCX",
                    () -> new Unparsed(ExecutorTable.of(reports)),
                    tab,
                    Option.empty(),
                    false,
                    false,
                    false);
        }
    }
}
