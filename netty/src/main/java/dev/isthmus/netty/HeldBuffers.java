// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.netty;

import dev.isthmus.nio.stream.Stream;
import io.netty.buffer.ByteBuf;

/** The buffers that the device still reads, in the order in which they were posted. Belongs to the channel's loop. */
final class HeldBuffers {

    private ByteBuf[] buffers = new ByteBuf[8]; // a ring; its length is a power of 2
    private int[] numbers = new int[8]; // of the last request of each
    private int first;
    private int count;

    boolean isEmpty() {
        return count == 0;
    }

    /** Holds a buffer, of which the caller gives a reference, until a request is done. */
    void add(ByteBuf buffer, int number) {
        if (count == buffers.length) {
            grow();
        }
        int at = (first + count++) & (buffers.length - 1);
        buffers[at] = buffer;
        numbers[at] = number;
    }

    private void grow() {
        ByteBuf[] more = new ByteBuf[2 * count];
        int[] theirs = new int[2 * count];
        for (int i = 0; i < count; i++) {
            int at = (first + i) & (buffers.length - 1);
            more[i] = buffers[at];
            theirs[i] = numbers[at];
        }
        buffers = more;
        numbers = theirs;
        first = 0;
    }

    /** Releases those with which the device is done. */
    void release(Stream stream) {
        while (count > 0 && stream.isDone(numbers[first])) {
            releaseFirst();
        }
    }

    /** Releases all: the connection is no more. */
    void releaseAll() {
        while (count > 0) {
            releaseFirst();
        }
    }

    private void releaseFirst() {
        ByteBuf buffer = buffers[first];
        buffers[first] = null;
        first = (first + 1) & (buffers.length - 1);
        count--;
        buffer.release();
    }
}
