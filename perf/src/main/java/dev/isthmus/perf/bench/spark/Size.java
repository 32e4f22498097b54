// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.spark;

import java.util.Locale;

/** Reads sizes such as {@code 200M}, and prints them as {@code 200.0 MB}; 1M is 1,048,576 bytes. */
final class Size {

    private static final String UNITS = "KMGT";
    private static final int STEP = 1024;

    private Size() {}

    static long parse(String text) {
        String digits = text.strip().toUpperCase(Locale.ROOT);
        int unit = digits.isEmpty() ? -1 : UNITS.indexOf(digits.charAt(digits.length() - 1));
        long factor = 1;
        for (int i = 0; i <= unit; i++) {
            factor *= STEP;
        }
        try {
            long size = Math.multiplyExact(
                    Long.parseLong(unit < 0 ? digits : digits.substring(0, digits.length() - 1)), factor);
            if (size > 0) {
                return size;
            }
        } catch (NumberFormatException | ArithmeticException e) {
            throw new IllegalArgumentException(explain(text), e);
        }
        throw new IllegalArgumentException(explain(text));
    }

    private static String explain(String text) {
        return "--size takes a number of bytes, optionally with K, M, G or T, such as 200M, not " + text;
    }

    static String format(double bytes) {
        int unit = -1;
        double value = bytes;
        while (value >= STEP && unit < UNITS.length() - 1) {
            value /= STEP;
            unit++;
        }
        return unit < 0
                ? String.format(Locale.ROOT, "%.0f B", value)
                : String.format(Locale.ROOT, "%.1f %cB", value, UNITS.charAt(unit));
    }
}
