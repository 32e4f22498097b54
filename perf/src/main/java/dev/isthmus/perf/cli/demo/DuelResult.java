// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.cli.demo;

import dev.isthmus.perf.common.Median;
import dev.isthmus.perf.common.Side;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

/**
 * The two sides at one size: the medians of their rounds, the ratio of these, and how far the rounds spread. One way,
 * in microseconds.
 *
 * @param path what the messages take
 * @param rounds how many rounds each side had
 * @param cMicros the median of C's rounds
 * @param ratio Java's by C's: below 1 Java is faster
 */
record DuelResult(
        String path,
        int bytes,
        int rounds,
        double cMicros,
        double javaMicros,
        double ratio,
        double cBestMicros,
        double cWorstMicros,
        double javaBestMicros,
        double javaWorstMicros) {

    private record Key(String path, int bytes) {}

    /** One comparison for each path and size that both sides have rounds of, in the order of appearance. */
    static List<DuelResult> of(Collection<DemoReport.Sample> samples) {
        Map<Key, List<DemoReport.Sample>> groups = samples.stream()
                .collect(Collectors.groupingBy(
                        sample -> new Key(sample.path(), sample.bytes()), LinkedHashMap::new, Collectors.toList()));
        return groups.entrySet().stream()
                .flatMap(group -> of(group.getKey(), group.getValue()).stream())
                .toList();
    }

    private static Optional<DuelResult> of(Key key, List<DemoReport.Sample> samples) {
        double[] c = sorted(samples, Side.C);
        double[] java = sorted(samples, Side.JAVA);
        if (c.length == 0 || java.length == 0) {
            return Optional.empty();
        }
        double cMedian = Median.of(DoubleStream.of(c)).orElseThrow();
        double javaMedian = Median.of(DoubleStream.of(java)).orElseThrow();
        return Optional.of(new DuelResult(
                key.path(),
                key.bytes(),
                Math.min(c.length, java.length),
                cMedian,
                javaMedian,
                javaMedian / cMedian,
                c[0],
                c[c.length - 1],
                java[0],
                java[java.length - 1]));
    }

    private static double[] sorted(List<DemoReport.Sample> samples, Side side) {
        return samples.stream()
                .filter(sample -> sample.side() == side)
                .mapToDouble(DemoReport.Sample::medianMicros)
                .sorted()
                .toArray();
    }
}
