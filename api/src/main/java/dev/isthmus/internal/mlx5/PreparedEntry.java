// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.mlx5;

import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.NativeMemory;

/**
 * The entry of a request that is posted again and again unchanged: the 64 bytes of its only block. The second post of a
 * request to the same queue remembers them, as most requests that change between posts change between all of them.
 */
public final class PreparedEntry {

    private long preparedFor; // the serial number of a ring; 0 if there is none
    private long postedTo; // likewise, since the request has changed
    long control; // without the index of its place
    long second;
    long third;
    long fourth;
    long fifth;
    long sixth;
    long seventh;
    long eighth;
    boolean copied; // to the register, as a whole

    /** Creates one that no queue has. */
    public PreparedEntry() {}

    /** The request changes. */
    @HotPath
    public void forget() {
        preparedFor = 0;
        postedTo = 0;
    }

    @HotPath
    boolean isFor(long ring) {
        return preparedFor == ring;
    }

    /** Notes that a request was posted to a ring, as an entry of one block that has no data in it. */
    @HotPath
    void posted(long ring, long entry, int used, boolean whole) {
        if (postedTo != ring) {
            postedTo = ring;
            return;
        }
        long from = entry & NativeMemory.ANY_ADDRESS;
        control = NativeMemory.getLong(from) & ~SendRing.INDEX;
        second = NativeMemory.getLong(from + 8);
        third = used > 1 ? NativeMemory.getLong(from + 16) : 0;
        fourth = used > 1 ? NativeMemory.getLong(from + 24) : 0;
        fifth = used > 2 ? NativeMemory.getLong(from + 32) : 0;
        sixth = used > 2 ? NativeMemory.getLong(from + 40) : 0;
        seventh = used > 3 ? NativeMemory.getLong(from + 48) : 0;
        eighth = used > 3 ? NativeMemory.getLong(from + 56) : 0;
        copied = whole;
        preparedFor = ring;
    }
}
