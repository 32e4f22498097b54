// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A block of a shuffle: what one map task wrote for one reduce partition, or for several consecutive ones.
 *
 * @param shuffle the number of the shuffle
 * @param map the number of the map task
 * @param first the first partition
 * @param end the partition after the last one
 */
public record BlockKey(int shuffle, long map, int first, int end) {

    private static final Pattern NAME = Pattern.compile("shuffle_(\\d{1,10})_(\\d{1,19})_(\\d{1,10})(?:_(\\d{1,10}))?");

    /** Checks the numbers. */
    public BlockKey {
        if (shuffle < 0 || map < 0 || first < 0 || end <= first) {
            throw new IllegalArgumentException(
                    "no block has the numbers " + shuffle + ", " + map + ", " + first + " and " + end);
        }
    }

    /**
     * Reads a block's name as Spark writes it: {@code shuffle_1_2_3}, or {@code shuffle_1_2_3_5} for partitions 3 and 4.
     *
     * @param name any text
     * @return the block; empty if it is the name of something else
     */
    public static Optional<BlockKey> parse(String name) {
        Matcher matcher = NAME.matcher(name);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        try {
            int first = Integer.parseInt(matcher.group(3));
            int end = matcher.group(4) == null ? Math.addExact(first, 1) : Integer.parseInt(matcher.group(4));
            return Optional.of(
                    new BlockKey(Integer.parseInt(matcher.group(1)), Long.parseLong(matcher.group(2)), first, end));
        } catch (IllegalArgumentException | ArithmeticException e) {
            return Optional.empty(); // numbers that no block has
        }
    }
}
