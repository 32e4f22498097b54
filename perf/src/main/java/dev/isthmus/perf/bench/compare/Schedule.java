// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What is measured, and in which order: in each round all places, and at each place, where only the ways differ, all
 * ways, each time beginning with another one. So an interruption affects all alike.
 */
final class Schedule {

    /** One run that is to be made. */
    record Step(Point point, int round) {

        /** In words. */
        String title() {
            return point.title() + ", round " + round;
        }
    }

    private Schedule() {}

    /** The points of a selection that make sense; of UCX, those of each route if there are any. */
    static List<Point> points(
            Collection<Benchmark> benchmarks,
            Collection<Way> ways,
            Collection<Integer> connections,
            Collection<Long> bytes,
            Collection<Long> rates,
            Collection<UcxRoute> routes) {
        List<Optional<UcxRoute>> all =
                new ArrayList<>(routes.stream().map(Optional::of).toList());
        all.addFirst(Optional.empty());
        List<Point> points = new ArrayList<>();
        for (Benchmark benchmark : benchmarks) {
            boolean fixed = benchmark == Benchmark.FIXED_RATE && !rates.isEmpty();
            for (int count : connections) {
                for (long size : bytes) {
                    for (long rate : fixed ? rates : List.of(0L)) {
                        for (Optional<UcxRoute> route : all) {
                            ways.stream()
                                    .map(way -> new Point(way, benchmark, size, count, rate, route))
                                    .filter(point -> Availability.has(point, !routes.isEmpty()))
                                    .forEach(points::add);
                        }
                    }
                }
            }
        }
        return points;
    }

    /** The remaining steps, in order. */
    static List<Step> steps(List<Point> points, int rounds, Set<Step> done) {
        Map<Point, List<Point>> places = points.stream()
                .collect(Collectors.groupingBy(
                        point -> point.by(points.getFirst().way()), LinkedHashMap::new, Collectors.toList()));
        List<Step> steps = new ArrayList<>();
        for (int round = 1; round <= rounds; round++) {
            int first = round - 1;
            for (List<Point> place : places.values()) {
                for (int i = 0; i < place.size(); i++) {
                    steps.add(new Step(place.get((i + first) % place.size()), round));
                }
                first++;
            }
        }
        steps.removeAll(done);
        return steps;
    }
}
