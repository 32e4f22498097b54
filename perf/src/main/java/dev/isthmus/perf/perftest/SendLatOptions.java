package dev.isthmus.perf.perftest;

import dev.isthmus.verbs.Mtu;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a send latency test is told, with {@code ib_send_lat}'s meanings and defaults.
 *
 * @param device the RDMA device's name, the first one when empty
 * @param ibPort its port, from 1
 * @param gidIndex the index of the GID to use; when empty the best one on Ethernet and none on InfiniBand
 * @param mtu the largest MTU to use, the port's when empty
 * @param bytes the size of a message
 * @param iterations how many messages each end sends
 * @param receiveDepth how many receives are posted ahead
 * @param tcpPort where the two ends meet
 * @param inlineBytes up to which size a message is sent inline; when empty what perftest chooses for the device
 * @param server the host to connect to; empty makes this end the server
 */
public record SendLatOptions(
        Optional<String> device,
        int ibPort,
        OptionalInt gidIndex,
        Optional<Mtu> mtu,
        int bytes,
        int iterations,
        int receiveDepth,
        int tcpPort,
        OptionalInt inlineBytes,
        Optional<String> server) {

    /** The longest message, bytes. */
    public static final int MAX_BYTES = 8 << 20;

    /** The most iterations. */
    public static final int MAX_ITERATIONS = 100_000_000;

    private static final int MAX_RECEIVE_DEPTH = 16_384;
    private static final int MAX_INLINE = 912;

    /**
     * Checks the ranges that perftest has.
     *
     * @throws IllegalArgumentException if a number is out of its range
     */
    public SendLatOptions {
        check("the message size", bytes, 1, MAX_BYTES);
        check("the number of iterations", iterations, LatencyStatistics.MIN_ITERATIONS, MAX_ITERATIONS);
        check("the receive depth", receiveDepth, 1, MAX_RECEIVE_DEPTH);
        check("the TCP port", tcpPort, 1, 65535);
        check("the device's port", ibPort, 1, 255);
        check("the inline size", inlineBytes.orElse(0), 0, MAX_INLINE);
        check("the GID index", gidIndex.orElse(0), 0, 65535);
        // As perftest does: never more than there will be messages, and even.
        receiveDepth = (Math.min(receiveDepth, iterations) + 1) / 2 * 2;
    }

    /**
     * The defaults for one end on a device.
     *
     * @param device the device's name
     * @param server the host to connect to; empty for the server
     * @return the options that {@code ib_send_lat -d DEVICE [SERVER]} has
     */
    public static SendLatOptions on(String device, Optional<String> server) {
        return new SendLatOptions(
                Optional.of(device),
                1,
                OptionalInt.empty(),
                Optional.empty(),
                2,
                1000,
                512,
                PerftestConnection.DEFAULT_PORT,
                OptionalInt.empty(),
                server);
    }

    /**
     * The same test with other messages.
     *
     * @param newBytes their size
     * @param newIterations how many
     * @return the other test
     */
    public SendLatOptions messages(int newBytes, int newIterations) {
        int depth = Math.max(receiveDepth, Math.min(512, newIterations));
        return new SendLatOptions(
                device, ibPort, gidIndex, mtu, newBytes, newIterations, depth, tcpPort, inlineBytes, server);
    }

    /**
     * The same test with another GID.
     *
     * @param index its index in the port's table
     * @return the other test
     */
    public SendLatOptions gid(int index) {
        return new SendLatOptions(
                device,
                ibPort,
                OptionalInt.of(index),
                mtu,
                bytes,
                iterations,
                receiveDepth,
                tcpPort,
                inlineBytes,
                server);
    }

    /**
     * The same test at another meeting place.
     *
     * @param port the TCP port
     * @return the other test
     */
    public SendLatOptions port(int port) {
        return new SendLatOptions(
                device, ibPort, gidIndex, mtu, bytes, iterations, receiveDepth, port, inlineBytes, server);
    }

    private static void check(String what, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(what + " is between " + min + " and " + max + ", not " + value);
        }
    }
}
