// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.instructions;

import java.util.List;

/**
 * A row of sockets over RDMA: bytes are written to one, and read from the other, which the same thread has.
 *
 * @param bytes of a write, and of the reads that take them
 * @param blocking whether both are in blocking mode
 * @param operations how many of them a block has: so many that each block has its share of the messages by which a reader
 *     grants room, one for 192 small writes or for half a ring of 128 KiB
 */
record SocketRow(int bytes, boolean blocking, int operations) implements Row {

    /** All of them, in the order in which they are run and printed. */
    static final List<SocketRow> ALL = List.of(
            new SocketRow(64, false, 384),
            new SocketRow(4096, false, 96),
            new SocketRow(64, true, 384),
            new SocketRow(4096, true, 96));

    @Override
    public String title() {
        return "socket-" + bytes + (blocking ? "-blocking" : "");
    }

    /** See {@code sockets.c}. */
    @Override
    public String spec() {
        return (blocking ? "blocking" : "polling") + ":" + bytes + ":" + operations;
    }

    /** The row that a program was told. */
    static SocketRow of(String spec) {
        return ALL.stream()
                .filter(row -> row.spec().equals(spec))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no row " + spec + ", but "
                        + ALL.stream().map(SocketRow::spec).toList()));
    }
}
