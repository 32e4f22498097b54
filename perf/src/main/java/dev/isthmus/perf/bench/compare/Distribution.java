// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import org.HdrHistogram.Histogram;

/** How long each of many operations took, to a thousandth of its time: a histogram of nanoseconds that stays as it is. */
record Distribution(Histogram nanos) {

    private static final int DIGITS = 3;
    private static final double MICROS = 1e3;
    private static final BigDecimal HUNDRED = BigDecimal.valueOf(100);

    /** What was counted so far; the counting may go on. */
    static Distribution of(Histogram nanos) {
        return new Distribution(nanos.copy());
    }

    /** The distribution of single times. A time that a broken clock made negative counts as none. */
    static Distribution ofMicros(double... micros) {
        var histogram = new Histogram(DIGITS);
        Arrays.stream(micros).forEach(each -> histogram.recordValue(Math.max(0, Math.round(each * MICROS))));
        return new Distribution(histogram);
    }

    /** The operations of several distributions together. */
    static Distribution together(Collection<Distribution> several) {
        var all = new Histogram(DIGITS);
        several.forEach(each -> all.add(each.nanos));
        return new Distribution(all);
    }

    /** How many operations there were. */
    long count() {
        return nanos.getTotalCount();
    }

    /** The time in microseconds that this percentage of the operations did not exceed. */
    double micros(double percentile) {
        return nanos.getValueAtPercentile(percentile) / MICROS;
    }

    double averageMicros() {
        return nanos.getMean() / MICROS;
    }

    /** As a line of an HdrHistogram log, which {@link #decode} reads. */
    @JsonValue
    String encode() {
        ByteBuffer buffer = ByteBuffer.allocate(nanos.getNeededByteBufferCapacity());
        int length = nanos.encodeIntoCompressedByteBuffer(buffer, Deflater.BEST_COMPRESSION);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
    }

    /** Throws an {@link IllegalArgumentException} if the text is not such a line. */
    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    static Distribution decode(String text) {
        ByteBuffer buffer = ByteBuffer.wrap(Base64.getDecoder().decode(text));
        try {
            return new Distribution(Histogram.decodeFromCompressedByteBuffer(buffer, 0));
        } catch (DataFormatException | RuntimeException e) { // it checks little of what it reads
            throw new IllegalArgumentException("no histogram: " + e, e);
        }
    }

    /** The percentiles in microseconds, three for each digit, as far as there is an operation beyond them. */
    Map<String, Double> percentiles() {
        Map<String, Double> percentiles = new LinkedHashMap<>();
        for (long digit = 1; digit <= count(); digit *= 10) {
            for (long oneOf : new long[] {digit, 2 * digit, 5 * digit}) {
                if (oneOf <= count()) {
                    percentiles.put(percentage(oneOf), micros(100.0 * (oneOf - 1) / oneOf));
                }
            }
        }
        return percentiles;
    }

    /** What is left when one of so many is taken away: 99.9 of 1000. */
    private static String percentage(long oneOf) {
        return HUNDRED.subtract(HUNDRED.divide(BigDecimal.valueOf(oneOf), MathContext.DECIMAL64))
                .stripTrailingZeros()
                .toPlainString();
    }

    @Override
    public String toString() {
        return count() + " times";
    }
}
