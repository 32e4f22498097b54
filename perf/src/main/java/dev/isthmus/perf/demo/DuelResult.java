// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.demo;

import dev.isthmus.perf.Rounds;
import dev.isthmus.perf.Side;
import java.util.Collection;
import java.util.Collections;
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
public record DuelResult(
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
    public static List<DuelResult> of(Collection<Sample> samples) {
        Map<Key, Rounds> groups = new LinkedHashMap<>();
        for (Sample sample : samples) {
            groups.computeIfAbsent(new Key(sample.path(), sample.bytes()), key -> new Rounds())
                    .add(sample.side(), sample.medianMicros());
        }
        return groups.entrySet().stream()
                .filter(group -> group.getValue().ratio(Side.JAVA).isPresent()) // both sides have some
                .map(group -> of(group.getKey(), group.getValue()))
                .toList();
    }

    private static DuelResult of(Key key, Rounds rounds) {
        List<Double> c = rounds.rounds(Side.C);
        List<Double> java = rounds.rounds(Side.JAVA);
        return new DuelResult(
                key.path(),
                key.bytes(),
                Math.min(c.size(), java.size()),
                rounds.median(Side.C).orElseThrow(),
                rounds.median(Side.JAVA).orElseThrow(),
                rounds.ratio(Side.JAVA).orElseThrow(),
                Collections.min(c),
                Collections.max(c),
                Collections.min(java),
                Collections.max(java));
    }
}
