// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is measured, and in which order. */
@Tag("unit")
class PlanningTest {

    private static final List<Way> THREE = List.of(Way.C_UCX, Way.JAVA_UCX, Way.NIO_BLOCKING);

    private static List<Point> points(List<Way> ways, List<Long> bytes) {
        return Schedule.points(List.of(Benchmark.PING_PONG), ways, List.of(1), bytes, List.of(), List.of());
    }

    @Test
    void shouldReadSizesAsTheyAreTyped() {
        assertEquals(List.of(8L, 4096L, 1048576L), Selection.sizes("1M,8,4K"));
        assertEquals(List.of(1L, 2L, 4L, 8L), Selection.sizes("1..8"));
        assertEquals(21, Selection.sizes("1..1M").size());
        assertEquals(List.of(3L, 6L), Selection.sizes("3..11"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "-1", "2M", "8..4", "x", "8,", "1..", "9999999999999999999"})
    void shouldRefuseOtherSizes(String text) {
        assertThrows(IllegalArgumentException.class, () -> Selection.sizes(text));
    }

    @Test
    void shouldLeaveOutWhatMakesNoSense() {
        List<Point> all = Schedule.points(
                List.of(Benchmark.values()), List.of(Way.values()), List.of(1, 4), List.of(8L), List.of(), List.of());
        assertTrue(all.contains(new Point(Way.C_VERBS_READ, Benchmark.ONE_SIDED, 8, 1)));
        assertFalse(all.contains(new Point(Way.C_VERBS_READ, Benchmark.PING_PONG, 8, 1)));
        assertFalse(all.contains(new Point(Way.NIO_BLOCKING, Benchmark.ONE_SIDED, 8, 1)));
        assertFalse(all.contains(new Point(Way.C_VERBS_WRITE, Benchmark.ONE_SIDED, 8, 4)));
        assertFalse(all.contains(new Point(Way.C_SOCKETS, Benchmark.BOTH_WAYS, 8, 1)));
        assertFalse(all.contains(new Point(Way.JAVA_SOCKETS, Benchmark.PING_PONG, 8, 4)));
        assertEquals(2 * (11 + 11 + 9) + 6 + 2 * 3 + 2 * 2 * 4 + 2 * 6 + 3, all.size());
    }

    @Test
    void shouldMeasureOnlyUcxOnRoutes() {
        List<Point> all = Schedule.points(
                List.of(Benchmark.values()),
                List.of(Way.C_UCX, Way.NIO_BLOCKING),
                List.of(1, 4),
                List.of(8L),
                List.of(),
                List.of(UcxRoute.all()));
        List<Point> routed =
                all.stream().filter(point -> point.route().isPresent()).toList();
        assertEquals(2 * 8, routed.size());
        assertTrue(routed.stream().allMatch(point -> point.way() == Way.C_UCX), routed::toString);
        assertEquals(2 * 4, all.size() - routed.size());
    }

    @Test
    void shouldHaveEveryCellOfUcx() {
        List<Point> all = CompareUcxCommand.points();
        assertTrue(
                all.stream()
                        .filter(point -> !point.benchmark().isThroughput())
                        .allMatch(point -> point.route().orElseThrow().leastMessages(point.bytes()) > 2048),
                "fewer than ucx_perftest has its percentile of");
        assertEquals(32, all.stream().map(Point::cell).distinct().count());
        assertEquals(96, Schedule.steps(all, 1, Set.of()).stream().distinct().count());
    }

    @Test
    void shouldMeasureAllPointsInEachRound() {
        List<Point> points = points(THREE, List.of(1L, 2L));
        List<Schedule.Step> steps = Schedule.steps(points, 3, Set.of());
        assertEquals(18, steps.size());
        for (int round = 0; round < 3; round++) {
            List<Schedule.Step> some = steps.subList(6 * round, 6 * round + 6);
            int number = round + 1;
            assertTrue(some.stream().allMatch(step -> step.round() == number), some.toString());
            assertEquals(
                    Set.copyOf(points), some.stream().map(Schedule.Step::point).collect(Collectors.toSet()));
        }
    }

    @Test
    void shouldMeasureTheWaysOfASizeInTurnAndBeginWithEach() {
        List<Schedule.Step> steps = Schedule.steps(points(THREE, List.of(1L, 2L)), 3, Set.of());
        assertEquals(
                List.of(1L, 1L, 1L, 2L, 2L, 2L),
                steps.subList(0, 6).stream().map(step -> step.point().bytes()).toList());
        Set<Way> first = Set.of(
                steps.get(0).point().way(),
                steps.get(6).point().way(),
                steps.get(12).point().way());
        assertEquals(Set.copyOf(THREE), first);
    }

    @Test
    void shouldBeginWithAnotherWayAtEachSizeAndInEachRound() {
        List<Point> points = new ArrayList<>(points(THREE, List.of(1L)));
        points.addAll(points(THREE.subList(0, 2), List.of(2L)));
        assertEquals(
                List.of("c1", "java1", "nio1", "java2", "c2", "java1", "nio1", "c1", "c2", "java2"),
                Schedule.steps(points, 2, Set.of()).stream()
                        .map(Schedule.Step::point)
                        .map(point -> point.way().id().replaceFirst("-.*", "") + point.bytes())
                        .toList());
    }

    @Test
    void shouldLeaveOutWhatIsMeasuredAlready() {
        List<Point> points = points(THREE, List.of(1L));
        var done = new Schedule.Step(points.get(1), 2);
        List<Schedule.Step> all = Schedule.steps(points, 2, Set.of());
        List<Schedule.Step> left = Schedule.steps(points, 2, Set.of(done));
        assertEquals(all.stream().filter(step -> !step.equals(done)).toList(), left);
    }

    @Test
    void shouldTellHowFarItIsAndHowLongItTakes() {
        var remaining = new Remaining(100, 10, 10);
        assertEquals("[##------------------] 10 of 100 runs, time left not known yet", text(remaining, 5));
        for (int i = 0; i < 10; i++) {
            remaining = remaining.next();
        }
        assertEquals("[####----------------] 20 of 100 runs, 8 min left", text(remaining, 60));
        assertEquals("[####----------------] 20 of 100 runs, 40 s left", text(remaining, 5));
        assertEquals("[####----------------] 20 of 100 runs, 2 h 40 min left", text(remaining, 1200));
        remaining = remaining.startingHere();
        assertEquals("[####----------------] 20 of 100 runs, time left not known yet", text(remaining, 5));
        assertEquals("[####----------------] 21 of 100 runs, 7 min left", text(remaining.next(), 5));
    }

    private static String text(Remaining remaining, int seconds) {
        return remaining.text(Duration.ofSeconds(seconds));
    }
}
