// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.OwnerThread;

/**
 * The header or the data of an active message, in UCX's memory, until the message is over. It has no segment: if you
 * gave one to C, for example to a send, C would go on reading after the memory is gone.
 * {@link UcpKeptMessage#segment()} gives a guarded one.
 */
public final class UcpMessageBytes extends UcpBytes {

    UcpMessageBytes(OwnerThread owner) {
        super(owner);
    }

    @HotPath
    void open(long address, long length) {
        lend(address, length);
    }

    @HotPath
    void close() {
        endLoan();
    }

    boolean isOf(OwnerThread thread) {
        return owner().equals(thread);
    }

    @Override
    String unavailableReason() {
        return "the message is over, and UCX has its memory back: read it in its handler, copy it there, or keep() its"
                + " data";
    }

    /** How many bytes there are, for messages. */
    @Override
    public String toString() {
        return isLent() ? count() + " bytes" : "bytes of a message that is over";
    }
}
