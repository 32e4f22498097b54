// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import java.time.Duration;
import java.util.Map;

/**
 * Settings of a transport, the same in all processes of an application.
 *
 * @param sliceBytes the length of the parts of long blocks
 * @param servingBytes how much registered memory holds parts until peers have fetched them
 * @param receivingBytes how much registered memory received blocks may take; further blocks go to ordinary memory
 * @param unpooledBytes how much ordinary memory received blocks may take; blocks that find no room there are refused
 * @param blockBytes the longest block that is received in memory
 * @param messageBytes how much further memory outgoing messages may take
 * @param credits how many parts may wait for one peer
 * @param inlineBytes the longest block that comes with the answer
 * @param readers how many threads read files
 * @param patience a request fails after this long without progress
 * @param connecting how long connecting may take
 * @param sealing whether each message is sealed with the secret of all peers
 * @param ucx options of UCX, without the prefix {@code UCX_}
 */
public record Settings(
        int sliceBytes,
        long servingBytes,
        long receivingBytes,
        long unpooledBytes,
        long blockBytes,
        long messageBytes,
        int credits,
        int inlineBytes,
        int readers,
        Duration patience,
        Duration connecting,
        boolean sealing,
        Map<String, String> ucx) {

    /** Checks the numbers. */
    public Settings {
        if (sliceBytes < 1 || credits < 1 || readers < 1 || inlineBytes < 0) {
            throw new IllegalArgumentException("slices of " + sliceBytes + " bytes, " + credits + " credits, " + readers
                    + " readers and " + inlineBytes + " bytes inline: the first three must be positive");
        }
        if (inlineBytes > PeerMessage.roomForData(1)) {
            throw new IllegalArgumentException("an answer has room for blocks of up to " + PeerMessage.roomForData(1)
                    + " bytes, not " + inlineBytes);
        }
        if (servingBytes < sliceBytes || receivingBytes < sliceBytes || messageBytes < PeerMessage.MAX_BYTES) {
            throw new IllegalArgumentException("memory of " + servingBytes + ", " + receivingBytes + " and "
                    + messageBytes + " bytes has no room for one slice or message");
        }
        if (blockBytes < inlineBytes || unpooledBytes < 0) {
            throw new IllegalArgumentException("blocks of " + blockBytes + " bytes at most, and " + unpooledBytes
                    + " bytes of ordinary memory: no block that comes with the answer is longer, and none is negative");
        }
        if (!patience.isPositive() || !connecting.isPositive()) {
            throw new IllegalArgumentException("a patience of " + patience.toMillis() + " ms, and "
                    + connecting.toMillis() + " ms for connecting: both must be positive");
        }
        ucx = Map.copyOf(ucx);
    }

    /** The defaults. */
    public static Settings defaults() {
        int processors = Runtime.getRuntime().availableProcessors();
        return new Settings(
                256 << 10,
                64L << 20,
                256L << 20,
                1L << 30,
                200L << 20,
                16L << 20,
                64,
                16 << 10,
                Math.clamp(processors, 2, 8),
                Duration.ofSeconds(120),
                Duration.ofSeconds(30),
                false,
                Map.of());
    }

    /**
     * Returns these settings with other options of UCX.
     *
     * @param options the options, without the prefix {@code UCX_}
     * @return new settings
     */
    public Settings withUcx(Map<String, String> options) {
        return with(patience, connecting, sealing, options);
    }

    /**
     * Returns these settings with other times.
     *
     * @param newPatience how long a request may go without progress
     * @param newConnecting how long connecting may take
     * @return new settings
     */
    public Settings withTimes(Duration newPatience, Duration newConnecting) {
        return with(newPatience, newConnecting, sealing, ucx);
    }

    /**
     * Returns these settings, with sealed messages.
     *
     * @return new settings
     */
    public Settings withSealing() {
        return with(patience, connecting, true, ucx);
    }

    private Settings with(
            Duration newPatience, Duration newConnecting, boolean newSealing, Map<String, String> options) {
        return new Settings(
                sliceBytes,
                servingBytes,
                receivingBytes,
                unpooledBytes,
                blockBytes,
                messageBytes,
                credits,
                inlineBytes,
                readers,
                newPatience,
                newConnecting,
                newSealing,
                options);
    }
}
