// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.verbs.attributes.Mtu;
import java.util.Objects;

/**
 * What the ends of a connection tell each other so that both can connect. They exchange it by any means, such as
 * a socket.
 *
 * <p>It may come from a network, so nothing in it is trusted: the constructor checks every range.
 *
 * @param qpNum the queue pair's number, 24 bits
 * @param psn the packet sequence number with which it begins to send, 24 bits
 * @param lid the port's LID, 16 bits; 0 on Ethernet
 * @param gid the port's GID
 * @param mtu the port's active MTU; the connection uses the smaller of both ends'
 * @param readDepth how many RDMA READs and atomics of the other end this one serves at once, 0 to 255
 */
public record QueuePairAddress(int qpNum, int psn, int lid, Gid gid, Mtu mtu, int readDepth) {

    /** The largest 24 bit number. */
    private static final int MAX_24_BITS = 0xff_ffff;

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if a number is out of its range, or the MTU is UNKNOWN
     * @throws NullPointerException if the GID or the MTU is null
     */
    public QueuePairAddress {
        checkRange("queue pair number", qpNum, MAX_24_BITS);
        checkRange("packet sequence number", psn, MAX_24_BITS);
        checkRange("LID", lid, 0xffff);
        checkRange("read depth", readDepth, 255);
        Objects.requireNonNull(gid, "gid");
        if (Objects.requireNonNull(mtu, "mtu") == Mtu.UNKNOWN) {
            throw new IllegalArgumentException("the MTU is unknown");
        }
    }

    private static void checkRange(String what, int value, int max) {
        if (value < 0 || value > max) {
            throw new IllegalArgumentException(what + " " + value + " is not between 0 and " + max);
        }
    }
}
