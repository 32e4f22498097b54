// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import java.util.List;

/**
 * A row of sockets over RDMA: one thread writes bytes to a socket, and reads them from the other one.
 *
 * @param bytes the size of a write, and of the reads that take it
 * @param mode of both sockets
 * @param operations the operations of a block: enough that each block has its share of the messages by which a reader
 *     grants room, one for 192 small writes or for half a ring of 128 KiB
 */
record SocketRow(int bytes, Mode mode, int operations) {

    /** How a thread finds out that there is something to read. */
    enum Mode {
        /** Non-blocking: it reads until there is something. */
        POLLING(""),
        /** It blocks. */
        BLOCKING("-blocking"),
        /** Non-blocking: a select, or in C an rpoll, comes before each read. */
        SELECT("-select");

        private final String suffix;

        Mode(String suffix) {
            this.suffix = suffix;
        }
    }

    /** All rows, in the order in which they are run and printed. */
    static final List<SocketRow> ALL = List.of(
            new SocketRow(64, Mode.POLLING, 384),
            new SocketRow(4096, Mode.POLLING, 96),
            new SocketRow(64, Mode.BLOCKING, 384),
            new SocketRow(4096, Mode.BLOCKING, 96),
            new SocketRow(64, Mode.SELECT, 384));

    String title() {
        return "socket-" + bytes + mode.suffix;
    }

    /** See {@code sockets.c}. */
    String spec() {
        return Row.word(mode) + ":" + bytes + ":" + operations;
    }

    /** The row of a program's argument. */
    static SocketRow of(String spec) {
        return Row.named(spec, ALL, SocketRow::spec);
    }
}
