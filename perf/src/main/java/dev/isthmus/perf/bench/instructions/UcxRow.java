// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * A row of UCX.
 *
 * @param bytes of a message
 * @param operations the operations of a block
 */
record UcxRow(Operation operation, Transport transport, int bytes, int operations) {

    /** The loop that runs it. */
    enum Operation {
        /** Progress that finds nothing. */
        PROGRESS,
        /** A tagged message: the receive, the send, and progress until both are done. */
        TAG,
        /** A part of a stream, received like a tagged message. */
        STREAM,
        /** An active message, until its handler has run. */
        AM,
        /** A write to memory of the receiver, until it is done at this end. */
        PUT,
        /** A read of such memory. */
        GET
    }

    /** What carries it. */
    enum Transport {
        /** Shared memory, between two workers. */
        POSIX,
        /** One worker to itself. */
        SELF;

        /** {@code UCX_TLS}. */
        String transports() {
            return this == SELF ? "self" : "posix,self";
        }
    }

    private static final int SHORT_BYTES = 8;
    private static final int LONG_BYTES = 4096;

    /** All rows, in the order in which they are run and printed. */
    static final List<UcxRow> ALL = Stream.concat(
                    rows(1_000, Operation.PROGRESS, Operation.TAG),
                    rows(300, Operation.STREAM, Operation.AM, Operation.PUT, Operation.GET))
            .toList();

    private static Stream<UcxRow> rows(int operations, Operation... kinds) {
        return Arrays.stream(Transport.values())
                .flatMap(transport -> Arrays.stream(kinds).flatMap(kind -> rows(operations, kind, transport)));
    }

    private static Stream<UcxRow> rows(int operations, Operation kind, Transport transport) {
        return kind == Operation.PROGRESS
                ? Stream.of(new UcxRow(kind, transport, 0, 20 * operations))
                : Stream.of(
                        new UcxRow(kind, transport, SHORT_BYTES, operations),
                        new UcxRow(kind, transport, LONG_BYTES, operations / 2));
    }

    /** Whether no earlier row has the same loop over the same transport. */
    boolean isFirst() {
        return bytes != LONG_BYTES;
    }

    String title() {
        String size = operation == Operation.PROGRESS ? "" : "-" + bytes;
        return "ucx-" + Row.word(operation) + size + "-" + Row.word(transport);
    }

    /** See {@code ucx.c}. */
    String spec() {
        return Row.word(operation) + ":" + Row.word(transport) + ":" + bytes + ":" + operations;
    }

    /** The row of a program's argument. */
    static UcxRow of(String spec) {
        return Row.named(spec, ALL, UcxRow::spec);
    }
}
