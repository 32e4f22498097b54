// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.HotPath;
import java.util.Arrays;

/**
 * The messages of one worker that were taken, and neither received nor dropped yet. C keeps their memory until then.
 */
final class TagMessages {

    private UcpTagMessage[] held = new UcpTagMessage[8];
    private int count;

    /** Makes room for one more. */
    @HotPath
    void reserve() {
        if (count == held.length) {
            grow();
        }
    }

    @HotPath
    void add(UcpTagMessage message, long handle) {
        held[count] = message;
        message.hold(handle, count++);
    }

    @HotPath
    void remove(UcpTagMessage message) {
        int place = message.place();
        UcpTagMessage last = held[--count];
        held[place] = last;
        held[count] = null;
        last.moveTo(place);
        message.hold(0, 0);
    }

    /** Any of them, or null. */
    UcpTagMessage any() {
        return count == 0 ? null : held[count - 1];
    }

    private void grow() {
        held = Arrays.copyOf(held, 2 * count);
    }
}
