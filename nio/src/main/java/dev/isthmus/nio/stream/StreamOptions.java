// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

/**
 * The options of a stream. Each has rsocket's default, unless a system property {@code isthmus.nio.NAME}
 * says otherwise.
 *
 * @param sendBuffer how many bytes may be under way, or wait for room at the peer
 * @param receiveBuffer how many bytes from the peer may wait to be read
 * @param sendQueue how many messages may be under way
 * @param receiveQueue how many messages the peer may send before it gets new credits
 * @param inline the largest message that goes inline, in bytes
 * @param polling how many microseconds a waiting thread polls before it sleeps
 * @param iomapSize how many regions the peer may map at a time
 * @param protocol what is spoken
 */
public record StreamOptions(
        int sendBuffer,
        int receiveBuffer,
        int sendQueue,
        int receiveQueue,
        int inline,
        int polling,
        int iomapSize,
        StreamProtocol protocol) {

    /** The least that makes sense, as it is granted in halves. */
    static final int MIN_BUFFER = 4096;

    private static final int MAX_BUFFER = 1 << 29; // more does not fit into the value of a message
    private static final int MIN_QUEUE = 16; // RS_QP_MIN_SIZE
    private static final int MAX_QUEUE = 0x7fff; // 16-bit numbers wrap, and the later of two must be recognisable

    private static final int EXACT_IOMAPS = 1 << 7; // larger sizes are sent to the peer as multiples of 256
    private static final int MAX_IOMAPS = 127 << 8;

    /** The options of the system properties, which are read once. */
    public static final StreamOptions DEFAULT = new StreamOptions(
            property("sendBuffer", 1 << 17),
            property("receiveBuffer", 1 << 17),
            property("sendQueue", 384),
            property("receiveQueue", 384),
            property("inline", 64),
            property("polling", 10),
            property("iomapSize", 0),
            StreamProtocol.RSOCKET);

    /**
     * Moves values that are out of range to the nearest valid value, as sockets do with the sizes of their buffers.
     *
     * @throws IllegalArgumentException if one is negative
     */
    public StreamOptions {
        notNegative("sendBuffer", sendBuffer);
        notNegative("receiveBuffer", receiveBuffer);
        notNegative("sendQueue", sendQueue);
        notNegative("receiveQueue", receiveQueue);
        notNegative("inline", inline);
        notNegative("polling", polling);
        notNegative("iomapSize", iomapSize);
        sendBuffer = Math.clamp(sendBuffer, MIN_BUFFER, MAX_BUFFER);
        receiveBuffer = Math.clamp(receiveBuffer, MIN_BUFFER, MAX_BUFFER) & -16; // two halves, followed by longs
        sendQueue = Math.clamp(sendQueue, MIN_QUEUE, MAX_QUEUE);
        receiveQueue = Math.clamp(receiveQueue, MIN_QUEUE, MAX_QUEUE);
        iomapSize = iomapOf(scaleOf(Math.min(iomapSize, MAX_IOMAPS)));
    }

    /**
     * Options of a stream that speaks rsocket's protocol.
     *
     * @param sendBuffer as above, like the others
     * @param receiveBuffer as above
     * @param sendQueue as above
     * @param receiveQueue as above
     * @param inline as above
     * @param polling as above
     * @param iomapSize as above
     */
    public StreamOptions(
            int sendBuffer,
            int receiveBuffer,
            int sendQueue,
            int receiveQueue,
            int inline,
            int polling,
            int iomapSize) {
        this(sendBuffer, receiveBuffer, sendQueue, receiveQueue, inline, polling, iomapSize, StreamProtocol.RSOCKET);
    }

    /** The byte that encodes a size for the peer: {@code rs_value_to_scale}. */
    static int scaleOf(int iomapSize) {
        return iomapSize <= EXACT_IOMAPS ? iomapSize : EXACT_IOMAPS | iomapSize >> 8;
    }

    /** The size that such a byte encodes: {@code rs_scale_to_value}. */
    static int iomapOf(int scale) {
        return scale <= EXACT_IOMAPS ? scale : (scale & EXACT_IOMAPS - 1) << 8;
    }

    private static int property(String name, int other) {
        return Integer.getInteger("isthmus.nio." + name, other);
    }

    private static void notNegative(String name, int value) {
        if (value < 0) {
            throw new IllegalArgumentException(name + " is negative: " + value);
        }
    }

    /**
     * Returns these options with another send buffer size.
     *
     * @param bytes the size
     * @return the new options
     */
    public StreamOptions withSendBuffer(int bytes) {
        return new StreamOptions(bytes, receiveBuffer, sendQueue, receiveQueue, inline, polling, iomapSize, protocol);
    }

    /**
     * Returns these options with another receive buffer size.
     *
     * @param bytes the size
     * @return the new options
     */
    public StreamOptions withReceiveBuffer(int bytes) {
        return new StreamOptions(sendBuffer, bytes, sendQueue, receiveQueue, inline, polling, iomapSize, protocol);
    }

    /**
     * Returns these options with another polling time.
     *
     * @param micros the time
     * @return the new options
     */
    public StreamOptions withPolling(int micros) {
        return new StreamOptions(
                sendBuffer, receiveBuffer, sendQueue, receiveQueue, inline, micros, iomapSize, protocol);
    }

    /**
     * Returns these options with another protocol.
     *
     * @param spoken the protocol
     * @return the new options
     */
    public StreamOptions withProtocol(StreamProtocol spoken) {
        return new StreamOptions(
                sendBuffer, receiveBuffer, sendQueue, receiveQueue, inline, polling, iomapSize, spoken);
    }

    /**
     * Returns these options with queues that a device allows, and the protocol needs.
     *
     * @param most how many requests its queues have room for
     * @return the new options
     */
    StreamOptions within(int most) {
        int receives =
                protocol == StreamProtocol.VALKEY ? Math.max(receiveQueue, ValkeyProtocol.RECEIVES) : receiveQueue;
        return new StreamOptions(
                sendBuffer,
                receiveBuffer,
                Math.min(sendQueue, most),
                Math.min(receives, most - ReceiveSide.SPARE),
                inline,
                polling,
                iomapSize,
                protocol);
    }

    /**
     * Returns these options with rings of half the size, for when the memory could not be pinned; null if the rings are
     * at their smallest.
     */
    StreamOptions smaller() {
        if (sendBuffer <= MIN_BUFFER && receiveBuffer <= MIN_BUFFER) {
            return null;
        }
        return withSendBuffer(sendBuffer / 2).withReceiveBuffer(receiveBuffer / 2);
    }
}
