// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import java.nio.ByteBuffer;

/**
 * Bytes that a stream has received, and lends where they are: see {@link Stream#lend}. They stay there, and the memory
 * stays registered, until the loan ends, even if the stream is closed before. One object can be used for many loans, one
 * after the other.
 *
 * <p>A peer that keeps no rule may change the bytes at any time, so read once what must not change in between. Belongs to
 * one thread at a time.
 */
public final class Loan {

    private Stream stream; // null while nothing is lent, like the block
    private ReceiveBlock block;
    private int offset;

    /** Creates an object with which a stream can lend. */
    public Loan() {}

    void begin(Stream by, ReceiveBlock from, int at) {
        block = from;
        stream = by;
        offset = from.start() + at;
    }

    /**
     * The memory that the bytes are in.
     *
     * @return a buffer in big-endian order, whose position nobody may change
     */
    public ByteBuffer memory() {
        return block.bytes();
    }

    /**
     * Where the memory begins.
     *
     * @return the address
     */
    public long address() {
        return block.region().address();
    }

    /**
     * Where in the memory the bytes begin.
     *
     * @return the offset
     */
    public int offset() {
        return offset;
    }

    /** Who lends. */
    Stream stream() {
        return stream;
    }

    ReceiveBlock block() {
        return block;
    }

    /** Gives the bytes back: the peer may soon write there. Any thread may call it, once for each loan. */
    public void end() {
        ReceiveBlock from = block;
        Stream by = stream;
        block = null;
        stream = null;
        if (from.letGo()) {
            by.returned(from);
        }
    }
}
