// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.stream;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What rstream's flags ask for.
 *
 * @param server where to connect to; null for the server itself
 * @param local the address to listen at, or to connect from; null for any
 * @param port the server's
 * @param ring how large the rings are, in bytes
 * @param inline the largest inline message of latency tests, in bytes
 * @param custom the only transfer to measure; null for the series
 * @param allSizes whether the series is the long one
 * @param tcp whether it uses the JDK's channel over TCP
 * @param blocking whether calls wait
 * @param selects whether a select precedes each call that does not wait
 * @param verify whether received bytes are checked
 * @param iomap whether the flags are riostream's
 */
record StreamPlan(
        InetAddress server,
        InetAddress local,
        int port,
        int ring,
        int inline,
        Transfer custom,
        boolean allSizes,
        boolean tcp,
        boolean blocking,
        boolean selects,
        boolean verify,
        boolean iomap) {

    private static final int SMALLEST_BITS = 6;
    private static final int LARGEST_BITS = 22;

    /** A line of the table: iterations, the transfers in each, and their size, each way. */
    record Transfer(String name, int iterations, int count, int size) {

        long bytes() {
            return 2L * iterations * count * size;
        }

        /** The time of one transfer, given that of all. */
        double microsEach(double micros) {
            return micros / iterations / (2L * count);
        }
    }

    static Transfer custom(int iterations, int count, int size) {
        return new Transfer("custom", iterations, count, size);
    }

    /** The series for latency: one transfer at a time. */
    List<Transfer> latencies() {
        return sizes().stream()
                .map(size -> new Transfer(bytes(size) + "_lat", countFor(size), 1, size))
                .toList();
    }

    /** The series for bandwidth: all transfers in a row. */
    List<Transfer> bandwidths() {
        return sizes().stream()
                .map(size -> new Transfer(bytes(size) + "_bw", 1, countFor(size), size))
                .toList();
    }

    private List<Integer> sizes() {
        if (!allSizes) {
            return List.of(1 << 6, 1 << 12, 1 << 16, 1 << 20);
        }
        var all = new ArrayList<>(List.of(1 << SMALLEST_BITS));
        for (int bits = SMALLEST_BITS + 1; bits <= LARGEST_BITS; bits++) {
            all.add(1 << bits);
            all.add((1 << bits) + (1 << (bits - 1)));
        }
        return all;
    }

    /** The largest transfer of all. */
    int largest() {
        return custom == null ? sizes().getLast() : custom.size();
    }

    private static int countFor(int size) {
        return size >= 1 << 20 ? 100 : size >= 1 << 16 ? 1000 : size >= 1 << 10 ? 10_000 : 100_000;
    }

    /** A number of bytes in rstream's notation. */
    static String bytes(long size) {
        int shift = size >= 1 << 30 ? 30 : size >= 1 << 20 ? 20 : size >= 1 << 10 ? 10 : 0;
        String unit = shift == 30 ? "g" : shift == 20 ? "m" : shift == 10 ? "k" : "";
        long whole = size >> shift;
        long tenths = whole < 10 ? ((size & ((1L << shift) - 1)) * 10) >> shift : 0;
        return whole + (tenths == 0 ? "" : "." + tenths) + unit;
    }

    /** A number of items in rstream's notation. */
    static String count(long count) {
        return count >= 1_000_000_000
                ? count / 1_000_000_000 + "b"
                : count >= 1_000_000 ? count / 1_000_000 + "m" : count >= 1000 ? count / 1000 + "k" : "" + count;
    }

    /** The line above the table. */
    static String head() {
        return String.format(
                Locale.ROOT,
                "%-10s%-8s%-8s%-8s%-8s%8s %10s%13s",
                "name",
                "bytes",
                "xfers",
                "iters",
                "total",
                "time",
                "Gb/sec",
                "usec/xfer");
    }

    /** A line of the table. */
    static String line(Transfer of, double micros) {
        return String.format(
                Locale.ROOT,
                "%-10s%-8s%-8s%-8s%-8s%8.2fs%10.2f%11.2f",
                of.name(),
                bytes(of.size()),
                count(of.count()),
                count(of.iterations()),
                bytes(of.bytes()),
                micros / 1e6,
                of.bytes() * 8 / (1000 * micros),
                of.microsEach(micros));
    }
}
