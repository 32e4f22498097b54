// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Numbers as people type them. */
final class Numbers {

    static final long MOST_BYTES = 1 << 20;

    private static final String RANGE = "..";

    private Numbers() {}

    /** Sizes of messages as they are typed: {@code 8,4K,1M}, or the powers of two of {@code 1..1M}. */
    static List<Long> sizes(String text) {
        return Stream.of(text.split(",", -1))
                .flatMap(part -> range(part).stream())
                .distinct()
                .sorted()
                .toList();
    }

    private static List<Long> range(String part) {
        int dots = part.indexOf(RANGE);
        if (dots < 0) {
            return List.of(one(part));
        }
        long last = one(part.substring(dots + RANGE.length()));
        List<Long> sizes = new ArrayList<>();
        for (long size = one(part.substring(0, dots)); size <= last; size *= 2) {
            sizes.add(size);
        }
        if (sizes.isEmpty()) {
            throw new IllegalArgumentException(part + " has no sizes: the smaller one comes first");
        }
        return sizes;
    }

    private static long one(String text) {
        try {
            String digits = text.strip();
            int unit = digits.endsWith("K") ? 1 << 10 : digits.endsWith("M") ? 1 << 20 : 1;
            long size = Long.parseLong(unit == 1 ? digits : digits.substring(0, digits.length() - 1)) * unit;
            if (size >= 1 && size <= MOST_BYTES) {
                return size;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(explain(text), e);
        }
        throw new IllegalArgumentException(explain(text));
    }

    private static String explain(String text) {
        return "sizes are 1 to 1M, as 8,4K,1M or 1..1M, not " + text;
    }
}
