// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.stream;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Option;

/** What rstream's flags ask for. */
final class StreamPlan {

    private static final String ALL_SIZES = "all";
    /** The line above the table. */
    static final String HEAD = "name      bytes   xfers   iters   total       time     Gb/sec    usec/xfer";

    private static final int SMALLEST_BITS = 6;
    private static final int LARGEST_BITS = 22;

    @Option(
            names = "-s",
            paramLabel = "ADDRESS",
            description = "the server to connect to; without it, this is the server")
    private String serverName;

    @Option(
            names = "-b",
            paramLabel = "ADDRESS",
            description = "the local address that the server listens on, or the client connects from")
    private String localName;

    @Option(
            names = "-f",
            paramLabel = "FORMAT",
            description = "the format of addresses: name, ip or ipv6 (default: name)")
    private String format = "name";

    @Option(names = "-B", paramLabel = "BYTES", description = "the size of each ring (default: ${DEFAULT-VALUE})")
    int ring = 1 << 19;

    @Option(
            names = "-i",
            paramLabel = "BYTES",
            description = "messages up to this size go inline in latency tests (default: ${DEFAULT-VALUE})")
    int inline = 64;

    @Option(names = "-I", paramLabel = "COUNT", description = "number of round trips")
    private Integer iterations;

    @Option(names = "-C", paramLabel = "COUNT", description = "number of transfers in a row, each way")
    private Integer transfers;

    @Option(
            names = "-S",
            paramLabel = "BYTES",
            description = "the size of a transfer; all runs the longer series of sizes")
    private String size;

    @Option(names = "-p", paramLabel = "PORT", description = "the server's port (default: ${DEFAULT-VALUE})")
    int port = 7471;

    @Option(
            names = "-T",
            paramLabel = "OPTION",
            description =
                    "s, sockets: TCP, by the JDK's channel; b, blocking: calls that wait; n, nonblocking: calls that"
                            + " do not (the default); a, async: a select before each call; v, verify: checks received"
                            + " bytes")
    private List<String> test = List.of();

    @Option(
            names = "--iomap",
            description =
                    "be riostream: each end writes into memory that the other has mapped, and watches its last byte")
    boolean iomap;

    /** Where to connect to; null for the server itself. */
    InetAddress server;

    /** The address to listen at, or to connect from; null for any. */
    InetAddress local;

    /** The only transfer to measure; null for the series, of which there is a long one. */
    Transfer custom;

    private boolean allSizes;
    boolean tcp;
    boolean blocking;
    boolean selects;
    boolean verify;

    /** Checks the flags, and derives what follows from them. */
    void settle() throws UnknownHostException {
        for (String option : test) {
            switch (option) {
                case "s", "sockets" -> tcp = true;
                case "b", "blocking" -> blocking = true;
                case "n", "nonblocking" -> blocking = false;
                case "v", "verify" -> verify = true;
                case "a", "async" -> selects = true;
                case "f", "fork" -> throw absent(option, "a JVM cannot fork");
                case "r", "resolve" -> throw absent(option, "the JDK resolves addresses, not rdma_getaddrinfo");
                default -> throw new IllegalArgumentException("-T " + option + " is not an option of rstream");
            }
        }
        if (selects && blocking) {
            throw absent("a with -T b", "a channel with a selector cannot block");
        }
        if (selects && iomap) {
            throw absent("a with --iomap", "a selector is not told of writes to memory");
        }
        if (iomap && tcp) {
            throw new IllegalArgumentException("riostream has no -T s: memory cannot be mapped over TCP");
        }
        positive("-p", port);
        positive("-B", ring);
        server = serverName == null ? null : address(serverName);
        local = localName == null ? null : address(localName);
        allSizes = ALL_SIZES.equals(size);
        if (iterations != null || transfers != null || (size != null && !allSizes)) {
            custom = new Transfer("custom", orElse("-I", iterations, 1), orElse("-C", transfers, 1000), size());
        }
    }

    private static IllegalArgumentException absent(String option, String why) {
        return new IllegalArgumentException("rstream's -T " + option + " is not implemented: " + why);
    }

    private InetAddress address(String written) throws UnknownHostException {
        return switch (format) {
            case "name" -> InetAddress.getByName(written);
            case "ip", "ipv6" -> InetAddress.ofLiteral(written);
            case "gid" -> throw new IllegalArgumentException("rstream's -f gid is not implemented: Java has no AF_IB");
            default -> throw new IllegalArgumentException("-f " + format + " is not a format of rstream");
        };
    }

    private int size() {
        try {
            return size == null || allSizes ? 1000 : positive("-S", Integer.parseInt(size));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("-S " + size + " is not a size", e);
        }
    }

    private static int orElse(String flag, Integer given, int other) {
        return given == null ? other : positive(flag, given);
    }

    private static int positive(String flag, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(flag + " " + value + " is less than 1");
        }
        return value;
    }

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
