// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

/**
 * How a stream is to be. Each has the default of rsocket, unless a system property {@code isthmus.nio.NAME} says otherwise.
 *
 * @param sendBuffer how many bytes may be under way, or wait until the peer has room
 * @param receiveBuffer how many bytes of the peer wait to be read
 * @param sendQueue how many messages may be under way
 * @param receiveQueue how many messages the peer may send until it is told that they were seen
 * @param inline messages up to so many bytes go along with the request
 * @param polling for how many microseconds a thread looks for what it waits for before it sleeps
 */
public record StreamOptions(
        int sendBuffer, int receiveBuffer, int sendQueue, int receiveQueue, int inline, int polling) {

    /** Two halves of this are the least that makes sense. */
    static final int LEAST_BUFFER = 4096;

    private static final int MOST_BUFFER = 1 << 29; // the value of a message has no room for more
    private static final int LEAST_QUEUE = 16; // RS_QP_MIN_SIZE
    private static final int MOST_QUEUE = 0x7fff; // numbers of 16 bits wrap, and one must tell which is the later

    /** Those of the system properties, read once. */
    public static final StreamOptions DEFAULT = new StreamOptions(
            property("sendBuffer", 1 << 17),
            property("receiveBuffer", 1 << 17),
            property("sendQueue", 384),
            property("receiveQueue", 384),
            property("inline", 64),
            property("polling", 10));

    /**
     * Brings what is out of range to the next that is not, as sockets do with the sizes of their buffers.
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
        sendBuffer = Math.clamp(sendBuffer, LEAST_BUFFER, MOST_BUFFER);
        receiveBuffer = Math.clamp(receiveBuffer, LEAST_BUFFER, MOST_BUFFER) & -2; // two halves
        sendQueue = Math.clamp(sendQueue, LEAST_QUEUE, MOST_QUEUE);
        receiveQueue = Math.clamp(receiveQueue, LEAST_QUEUE, MOST_QUEUE);
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
     * With another size of what is sent.
     *
     * @param bytes the size
     * @return these options otherwise
     */
    public StreamOptions withSendBuffer(int bytes) {
        return new StreamOptions(bytes, receiveBuffer, sendQueue, receiveQueue, inline, polling);
    }

    /**
     * With another size of what is received.
     *
     * @param bytes the size
     * @return these options otherwise
     */
    public StreamOptions withReceiveBuffer(int bytes) {
        return new StreamOptions(sendBuffer, bytes, sendQueue, receiveQueue, inline, polling);
    }

    /**
     * With another time of looking.
     *
     * @param micros the time
     * @return these options otherwise
     */
    public StreamOptions withPolling(int micros) {
        return new StreamOptions(sendBuffer, receiveBuffer, sendQueue, receiveQueue, inline, micros);
    }

    /**
     * With queues that a device allows.
     *
     * @param most how many requests its queues have room for
     * @return these options otherwise
     */
    StreamOptions within(int most) {
        return new StreamOptions(
                sendBuffer,
                receiveBuffer,
                Math.min(sendQueue, most),
                Math.min(receiveQueue, most - ReceiveSide.SPARE),
                inline,
                polling);
    }

    /** With rings of half the size, when the memory of these could not be pinned; null when they are the smallest. */
    StreamOptions smaller() {
        if (sendBuffer <= LEAST_BUFFER && receiveBuffer <= LEAST_BUFFER) {
            return null;
        }
        return withSendBuffer(sendBuffer / 2).withReceiveBuffer(receiveBuffer / 2);
    }
}
