// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.apache.spark.SparkConf;

/**
 * The part of {@code spark.isthmus.*} that says when files are read over verbs.
 *
 * @param use where executors both have an RDMA device
 * @param address the address of the executor's device; empty for whichever it has
 * @param fileBytes how much of its files an executor may register at a time
 */
record VerbsSettings(Use use, String address, long fileBytes) {

    /** The default of {@link #fileBytes}. */
    static final long FILE_BYTES = 1L << 30;

    private static final String KEY = "spark.isthmus.verbs";

    /** Between which executors. */
    enum Use {
        /** Those of different hosts. */
        AUTO,
        /** Those of one host, too. */
        ALWAYS,
        NEVER;

        static Use of(String text) {
            return Arrays.stream(values())
                    .filter(one -> one.name().equalsIgnoreCase(text))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException(KEY + " is " + text + ", and may be "
                            + Arrays.stream(values())
                                    .map(one -> one.name().toLowerCase(Locale.ROOT))
                                    .collect(Collectors.joining(", "))));
        }
    }

    VerbsSettings {
        if (fileBytes < 1 << 20) {
            throw new IllegalArgumentException(
                    KEY + ".fileBytes is " + fileBytes + ": at least 1m must be registered, or nothing can be read");
        }
    }

    static VerbsSettings of(SparkConf conf) {
        return new VerbsSettings(
                Use.of(conf.get(KEY, Use.AUTO.name())),
                conf.get(KEY + ".address", ""),
                conf.getSizeAsBytes(KEY + ".fileBytes", FILE_BYTES));
    }

    /** Whether an executor reads over verbs from one of another host, or else of its own, if both have a device. */
    boolean isUsed(boolean sameHost) {
        return use == Use.ALWAYS || (use == Use.AUTO && !sameHost);
    }
}
