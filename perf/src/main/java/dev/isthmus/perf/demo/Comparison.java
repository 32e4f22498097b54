// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.demo;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The two sides at one size: the medians of their rounds, the ratio of these, and how far the rounds spread. One way,
 * in microseconds.
 *
 * @param path what the messages take
 * @param bytes the size of a message
 * @param rounds how many rounds each side had
 * @param cMicros the median of C's rounds
 * @param javaMicros the median of Java's rounds
 * @param ratio Java's by C's: below 1 Java is faster
 * @param cBestMicros C's best round
 * @param cWorstMicros C's worst round
 * @param javaBestMicros Java's best round
 * @param javaWorstMicros Java's worst round
 */
public record Comparison(
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

    /**
     * Compares all that was measured.
     *
     * @param samples the rounds, in any order
     * @return one comparison for each path and size that both sides have rounds of, in the order of appearance
     */
    public static List<Comparison> of(Collection<Sample> samples) {
        Map<Key, List<Sample>> groups = new LinkedHashMap<>();
        for (Sample sample : samples) {
            groups.computeIfAbsent(new Key(sample.path(), sample.bytes()), key -> new ArrayList<>())
                    .add(sample);
        }
        return groups.entrySet().stream()
                .filter(group -> Arrays.stream(Side.values())
                        .allMatch(side -> group.getValue().stream().anyMatch(s -> s.side() == side)))
                .map(group -> compare(group.getKey(), group.getValue()))
                .toList();
    }

    private static Comparison compare(Key key, List<Sample> samples) {
        double[] c = sorted(samples, Side.C);
        double[] java = sorted(samples, Side.JAVA);
        double cMedian = median(c);
        double javaMedian = median(java);
        return new Comparison(
                key.path(),
                key.bytes(),
                Math.min(c.length, java.length),
                cMedian,
                javaMedian,
                javaMedian / cMedian,
                c[0],
                c[c.length - 1],
                java[0],
                java[java.length - 1]);
    }

    private static double[] sorted(List<Sample> samples, Side side) {
        return samples.stream()
                .filter(sample -> sample.side() == side)
                .mapToDouble(Sample::medianMicros)
                .sorted()
                .toArray();
    }

    private static double median(double[] sorted) {
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
