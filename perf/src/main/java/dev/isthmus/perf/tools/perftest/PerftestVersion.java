// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import java.math.BigDecimal;

/**
 * The version that perftest announces first: a decimal number such as 6.06. C compares it as a number, too.
 *
 * @param number the number
 */
public record PerftestVersion(BigDecimal number) implements Comparable<PerftestVersion> {

    /**
     * The version that we announce, that of Debian's perftest 4.5+0.17. Peers from 6.28 on exchange one more block, but
     * only with a peer that announces at least that version, so this also keeps us compatible with them.
     */
    public static final PerftestVersion OURS = new PerftestVersion(new BigDecimal("6.06"));

    /** The oldest one that perftest itself accepts. */
    public static final PerftestVersion OLDEST = new PerftestVersion(new BigDecimal("5.70"));

    /**
     * Reads the text of a version.
     *
     * @param text digits, or digits, a point and digits
     * @return the version
     * @throws IllegalArgumentException if the text is anything else
     */
    public static PerftestVersion parse(String text) {
        if (!text.matches("[0-9]{1,4}(\\.[0-9]{1,8})?")) {
            throw new IllegalArgumentException("not a version: " + ExchangeFormat.printable(text));
        }
        return new PerftestVersion(new BigDecimal(text));
    }

    /**
     * Whether a test between us and that version can work.
     *
     * @return true from {@link #OLDEST} on
     */
    public boolean isSupported() {
        return compareTo(OLDEST) >= 0;
    }

    @Override
    public int compareTo(PerftestVersion other) {
        return number.compareTo(other.number);
    }

    @Override
    public String toString() {
        return number.toPlainString();
    }
}
