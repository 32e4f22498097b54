// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;

/** Formats of C's printf that Java lacks. */
public final class CFormat {

    private static final int SIGNIFICANT = 6;
    private static final int MIN_EXPONENT = -4;

    private CFormat() {}

    /** {@code %g}: six significant digits, without zeros at the end. */
    static String general(double value) {
        if (value == 0) {
            return "0";
        }
        var rounded = new BigDecimal(value).round(new MathContext(SIGNIFICANT));
        int exponent = rounded.precision() - rounded.scale() - 1;
        if (exponent >= MIN_EXPONENT && exponent < SIGNIFICANT) {
            return rounded.stripTrailingZeros().toPlainString();
        }
        String mantissa =
                rounded.scaleByPowerOfTen(-exponent).stripTrailingZeros().toPlainString();
        return mantissa + String.format(Locale.ROOT, "e%s%02d", exponent < 0 ? "-" : "+", Math.abs(exponent));
    }

    /** What {@code %f} and {@code %g} print, a division by zero and its like included. */
    public static double number(String printed) {
        return switch (printed) {
            case "nan", "-nan" -> Double.NaN;
            case "inf" -> Double.POSITIVE_INFINITY;
            case "-inf" -> Double.NEGATIVE_INFINITY;
            default -> Double.parseDouble(printed);
        };
    }

    /** A figure with the decimals that its column has, for JSON; null for nan and inf, which JSON lacks. */
    static BigDecimal rounded(double value, int decimals) {
        return Double.isFinite(value) ? BigDecimal.valueOf(value).setScale(decimals, RoundingMode.HALF_UP) : null;
    }

    /** {@code %#0Nx}: 0x in front, counted in the width, but not before a zero. */
    static String alternateHex(long value, int width) {
        return value == 0 ? "0".repeat(width) : String.format("0x%0" + (width - 2) + "x", value);
    }
}
