// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import dev.isthmus.verbs.Gid;
import java.util.Optional;

/**
 * What one end tells the other about its queue pair: perftest's {@code struct pingpong_dest}.
 *
 * @param lid the port's LID, 0 on Ethernet
 * @param outReads how many RDMA reads may be outstanding, 1 for a test that does none
 * @param qpNum the queue pair's number, 24 bits
 * @param psn the packet sequence number that it begins with, 24 bits
 * @param rkey the key of the buffer, of no use to a send test
 * @param address the address of the buffer, likewise
 * @param gid the port's GID; if there is one, the longer of the two formats is used
 * @param srqNum the number of the shared receive queue, 0 without one
 */
public record PerftestDestination(
        int lid, int outReads, int qpNum, int psn, int rkey, long address, Optional<Gid> gid, int srqNum) {

    /** Checks the ranges that the text format has. */
    public PerftestDestination {
        checkBits("lid", lid, 16);
        checkBits("out_reads", outReads, 16);
        checkBits("qpn", qpNum, 24);
        checkBits("psn", psn, 24);
    }

    private static void checkBits(String what, int value, int bits) {
        if (value >>> bits != 0) {
            throw new IllegalArgumentException(what + " " + value + " has more than " + bits + " bits");
        }
    }
}
