// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Numbers as people read and type them. */
final class Numbers {

    private static final long KIBI = 1 << 10;
    private static final long MEBI = 1 << 20;
    private static final long GIBI = 1 << 30;

    static final long MOST_BYTES = 1 << 20;

    private static final String RANGE = "..";

    private Numbers() {}

    /** Rounded to about three significant digits. */
    static String figure(double value) {
        double size = Math.abs(value);
        if (size == 0) {
            return "0";
        } else if (size < 0.001) {
            return format("%.1e", value);
        } else if (size < 1) {
            return format("%.3f", value);
        } else if (size < 10) {
            return format("%.2f", value);
        } else if (size < 100) {
            return format("%.1f", value);
        } else if (size < 1e5) {
            return format("%,.0f", value);
        } else if (size < 1e6) {
            return format("%.0f k", value / 1e3);
        } else if (size < 1e9) {
            return format("%.2f M", value / 1e6);
        }
        return format("%.2f G", value / 1e9);
    }

    /** The percentage that is left when one part of this many is taken away: 99.9 % for 1000. */
    static String percentile(long parts) {
        BigDecimal hundred = BigDecimal.valueOf(100);
        BigDecimal rest = hundred.divide(BigDecimal.valueOf(parts), MathContext.DECIMAL64);
        return hundred.subtract(rest).stripTrailingZeros().toPlainString();
    }

    /** A payload. */
    static String bytes(double bytes) {
        if (bytes >= GIBI) {
            return binary(bytes / GIBI) + " GiB";
        } else if (bytes >= MEBI) {
            return binary(bytes / MEBI) + " MiB";
        }
        return bytes >= KIBI ? binary(bytes / KIBI) + " KiB" : binary(bytes) + " B";
    }

    /** A payload. */
    static String bytes(long bytes) {
        return bytes((double) bytes);
    }

    private static String binary(double value) {
        return value == Math.rint(value) ? format("%.0f", value) : format("%.1f", value);
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation is in a library that is not a dependency
    private static String format(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }

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
