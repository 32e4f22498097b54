// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class ExecutorTableTest {

    private static ExecutorReport report(String executor, String host) {
        return new ExecutorReport(
                executor,
                host,
                "1 x tcp/eth0",
                Map.of(
                        "bytesByGet",
                        3L << 20,
                        "bytesInline",
                        1L << 20,
                        "verbs.bytesRead",
                        2L << 20,
                        "blocksReceived",
                        17L,
                        "verbs.blocksReceived",
                        5L,
                        "pinnedBytes",
                        0L));
    }

    @Test
    void shouldTellTheDriverAllOfAReport() {
        ExecutorReport report = report("7", "host");
        assertEquals(Optional.of(report), ExecutorReport.of(report.message()));
        assertEquals(Optional.empty(), ExecutorReport.of(List.of("find", "7")));
    }

    @Test
    void shouldShowEachExecutorOnceWithItsNewestFigures() {
        var reports = new ExecutorReports(1);
        reports.add(new ExecutorReport("1", "one", "", Map.of()));
        reports.add(report("1", "one"));
        reports.add(report("2", "two"));
        reports.reads("1").bytes.add(7 << 20);
        reports.reads("1").waitMillis.add(1500);
        String table = ExecutorTable.of(reports);
        assertEquals(3, table.split("<tr>", -1).length - 1, table);
        assertTrue(
                table.contains(
                        "<td>1</td><td>one</td><td>1 x tcp/eth0</td><td>4.0 MiB</td><td>2.0 MiB</td><td>1.0 MiB</td><td>22</td>"),
                table);
        assertTrue(table.contains("<td>1.5 s</td>"), table);
    }

    @Test
    void shouldForgetExecutorsThatHaveBeenGoneForLong() {
        var reports = new ExecutorReports(1);
        for (String executor : List.of("1", "2", "3")) {
            reports.add(report(executor, "host" + executor));
            reports.reads(executor).bytes.add(1);
        }
        reports.gone("1");
        reports.gone("3");
        assertEquals(
                List.of("2", "3"),
                reports.all().stream().map(ExecutorReport::executor).toList());
        assertEquals(0, reports.reads("1").bytes.sum());
        assertEquals(1, reports.reads("3").bytes.sum());
    }

    /** Hosts and transports come from other machines. */
    @Test
    void shouldNotLetAnExecutorWriteIntoThePage() {
        var reports = new ExecutorReports(1);
        reports.add(report("1", "<script>alert(1)</script>"));
        String table = ExecutorTable.of(reports);
        assertFalse(table.contains("<script>"), table);
        assertTrue(table.contains("&lt;script&gt;"), table);
    }
}
