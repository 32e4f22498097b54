// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.common;

import java.util.Locale;
import java.util.OptionalLong;

/** Numbers of bytes as they are typed and printed: {@code 200M}; 1M is 1,048,576 bytes. */
public final class ByteSize {

    private static final String UNITS = "KMGT";

    private ByteSize() {}

    /** A number, perhaps with K, M, G or T; empty if it is none, or too large. */
    public static OptionalLong parse(String text) {
        String size = text.strip().toUpperCase(Locale.ROOT);
        if (!size.matches("[0-9]{1,18}[KMGT]?")) {
            return OptionalLong.empty();
        }
        int unit = UNITS.indexOf(size.charAt(size.length() - 1));
        long number = Long.parseLong(unit < 0 ? size : size.substring(0, size.length() - 1));
        int shift = 10 * (unit + 1);
        return number > Long.MAX_VALUE >> shift ? OptionalLong.empty() : OptionalLong.of(number << shift);
    }

    /** A number with its unit, such as {@code 200.0 MB}. */
    public static String format(double bytes) {
        int unit = -1;
        double value = bytes;
        while (value >= 1024 && unit < UNITS.length() - 1) {
            value /= 1024;
            unit++;
        }
        return unit < 0
                ? String.format(Locale.ROOT, "%.0f B", value)
                : String.format(Locale.ROOT, "%.1f %cB", value, UNITS.charAt(unit));
    }
}
