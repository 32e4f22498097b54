// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * In which order the runs are made: all points in each round, and of each benchmark, size and number of connections all
 * ways in turn, each time beginning with another one. So a machine that is slow for a while is so for all ways alike, and
 * a comparison that is interrupted has been so for all ways, too.
 */
final class Schedule {

    /** One run that is to be made. */
    record Step(Point point, int round) {}

    private record Place(Benchmark benchmark, int connections, long bytes, long rate) {}

    private Schedule() {}

    /** The points of what was chosen, those that make sense. */
    static List<Point> points(
            Collection<Benchmark> benchmarks,
            Collection<Way> ways,
            Collection<Integer> connections,
            Collection<Long> bytes,
            Collection<Long> rates) {
        List<Point> points = new ArrayList<>();
        for (Benchmark benchmark : benchmarks) {
            boolean fixed = benchmark == Benchmark.FIXED_RATE && !rates.isEmpty();
            for (int count : connections) {
                for (long size : bytes) {
                    for (long rate : fixed ? rates : List.of(0L)) {
                        ways.stream()
                                .filter(way -> Offer.has(way, benchmark, count))
                                .map(way -> new Point(way, benchmark, size, count, rate))
                                .forEach(points::add);
                    }
                }
            }
        }
        return points;
    }

    /** The steps that are left, in their order. */
    static List<Step> steps(List<Point> points, int rounds, Set<Step> done) {
        Map<Place, List<Point>> places = new LinkedHashMap<>();
        for (Point point : points) {
            places.computeIfAbsent(
                            new Place(point.benchmark(), point.connections(), point.bytes(), point.rate()),
                            key -> new ArrayList<>())
                    .add(point);
        }
        List<Step> steps = new ArrayList<>();
        for (int round = 1; round <= rounds; round++) {
            int turn = round - 1;
            for (List<Point> ways : places.values()) {
                for (int i = 0; i < ways.size(); i++) {
                    steps.add(new Step(ways.get((i + turn) % ways.size()), round));
                }
                turn++;
            }
        }
        steps.removeAll(done);
        return steps;
    }
}
