// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import dev.isthmus.verbs.Gid;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The format of a queue pair's address when it is sent over a queue pair: C's {@code struct pingpong_dest} in the
 * memory of a 64-bit machine, with each field in network order.
 */
final class CmAddressFormat {

    static final int BYTES = 56;

    private static final int VADDR_OFFSET = 24;
    private static final int NO_GID = -1;

    private CmAddressFormat() {}

    static byte[] encode(PerftestDestination mine) {
        return ByteBuffer.allocate(BYTES)
                .putInt(mine.lid())
                .putInt(mine.outReads())
                .putInt(mine.qpNum())
                .putInt(mine.psn())
                .putInt(mine.rkey())
                .position(VADDR_OFFSET)
                .putLong(mine.address())
                .put(mine.gid().map(Gid::bytes).orElseGet(() -> new byte[Gid.BYTES]))
                .putInt(mine.srqNum())
                .putInt(mine.gid().isPresent() ? 0 : NO_GID)
                .array();
    }

    /** The peer's GID index is its own affair, but both ends must agree on whether there is a GID. */
    static PerftestDestination decode(byte[] message, boolean withGid) {
        var in = ByteBuffer.wrap(message);
        int lid = in.getInt();
        int outReads = in.getInt();
        int qpNum = in.getInt();
        int psn = in.getInt();
        int rkey = in.getInt();
        long address = in.position(VADDR_OFFSET).getLong();
        byte[] gid = new byte[Gid.BYTES];
        in.get(gid);
        int srqNum = in.getInt();
        return new PerftestDestination(
                lid,
                outReads,
                qpNum,
                psn,
                rkey,
                address,
                withGid ? Optional.of(Gid.of(gid)) : Optional.empty(),
                srqNum);
    }
}
