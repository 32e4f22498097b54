// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class UcxTableTest {

    private static final List<Point> ALL = CompareUcxCommand.points();
    private static final List<Point> LATENCY = ALL.subList(0, 3);

    private final List<Run> runs = new ArrayList<>();

    UcxTableTest() {
        add(LATENCY.get(0), 1, 9, 2);
        add(LATENCY.get(1), 2, 4);
    }

    private void add(Point point, double... figures) {
        for (int i = 0; i < figures.length; i++) {
            runs.add(MadeUp.run(point, i + 1, figures[i], 0x1p20 / point.bytes() * figures[i], ""));
        }
    }

    private static List<String> words(String table, int line) {
        return List.of(table.lines().toList().get(line).split(" +", -1));
    }

    @Test
    void shouldCompareMediansAndTellWhatFailed() {
        String table = UcxTable.format(LATENCY, runs, List.of(new Schedule.Step(LATENCY.get(2), 1)));
        assertEquals(List.of("", "unit", "C", "Java", "JUCX", "Java/C", "JUCX/C"), words(table, 0));
        assertEquals(List.of("shm-tag-lat-8", "usec", "2.000", "3.000", "failed", "1.50", "-"), words(table, 1));
        assertFalse(table.contains("*"), table);
    }

    @Test
    void shouldMarkWhatBeganBeforeItsJvmWasSteady() {
        runs.add(MadeUp.doubtful(MadeUp.run(LATENCY.get(1), 3, 3, 1, ""), false, 1));
        String table = UcxTable.format(LATENCY, runs, List.of());
        assertEquals(List.of("shm-tag-lat-8", "usec", "2.000", "3.000*", "-", "1.50", "-"), words(table, 1));
        assertTrue(table.contains("\n* of rounds"), table);
    }

    @Test
    void shouldTellBandwidthInMebibytes() {
        List<Point> last = ALL.subList(ALL.size() - 3, ALL.size());
        assertEquals(
                List.of("tcp-put-bw-1048576", "MB/s", "-", "-", "-", "-", "-"),
                words(UcxTable.format(last, List.of(), List.of()), 1));
        add(last.get(0), 2000);
        add(last.get(2), 1000);
        assertEquals(
                List.of("tcp-put-bw-1048576", "MB/s", "2000", "-", "1000", "-", "0.50"),
                words(UcxTable.format(last, runs, List.of()), 1));
    }

    @Test
    void shouldHaveEveryCell() {
        assertTrue(
                ALL.stream()
                        .filter(point -> !point.benchmark().isThroughput())
                        .allMatch(point -> point.route().orElseThrow().leastMessages(point.bytes()) > 2048),
                "fewer than ucx_perftest has its percentile of");
        assertEquals(32, ALL.stream().map(Point::cell).distinct().count());
        assertEquals(96, Schedule.steps(ALL, 1, Set.of()).stream().distinct().count());
        assertEquals(
                96,
                Summary.of(ALL.stream()
                                .map(point -> MadeUp.run(point, 1, 1, 1, ""))
                                .toList())
                        .size());
    }
}
