// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

/**
 * The content of a message, which is its immediate value: an operation in the upper 3 bits, and a value in the other
 * 29. The numbers are those of {@code RS_OP_*} and {@code RS_CTRL_*} in rsocket.c.
 */
final class Message {

    /** Bytes were written to the ring; the value says how many. */
    static final int DATA = 0;

    /** The number of the last message that may be sent; the next half of the ring may have been granted, too. */
    static final int CREDITS = 4;

    /** An entry of the iomap was written; the value is its index. Counts like a message with data. */
    static final int IOMAP = 6;

    /** The end of the stream, or of both: {@link #DISCONNECT} or {@link #SHUTDOWN}. */
    static final int CONTROL = 7;

    /** Neither side sends any more. */
    static final int DISCONNECT = 0;

    /** This side sends no more. */
    static final int SHUTDOWN = 2;

    /** The largest value. */
    static final int MAX_VALUE = (1 << 29) - 1;

    private static final int SHIFT = 29;

    private Message() {}

    static int of(int operation, int value) {
        return operation << SHIFT | value;
    }

    static int operation(int message) {
        return message >>> SHIFT;
    }

    static int value(int message) {
        return message & MAX_VALUE;
    }
}
