// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.mpi;

import java.util.ArrayList;
import java.util.List;

/**
 * A row of the table.
 *
 * @param loop the loop of {@link MpiLoops} and {@code mpi.c}
 * @param bytes of a message, or for each rank
 * @param ranks how many take part
 * @param operations of a block
 */
record MpiRow(String loop, int bytes, int ranks, int operations) {

    private static final List<Integer> SIZES = List.of(8, 4096, 65_536);

    /** Those in which ranks wait for each other: for times. */
    static List<MpiRow> ofTimes(int ranks) {
        var rows = new ArrayList<MpiRow>();
        for (int bytes : SIZES) {
            rows.add(new MpiRow("latency", bytes, 2, bytes > 4096 ? 512 : 2048));
        }
        for (int bytes : SIZES) {
            rows.add(new MpiRow("stream", bytes, 2, bytes > 4096 ? 512 : 4096));
        }
        for (String loop : List.of("allreduce", "alltoall")) {
            for (int bytes : SIZES) {
                rows.add(new MpiRow(loop, bytes, ranks, bytes > 4096 ? 128 : 512));
            }
        }
        return rows;
    }

    /** Those of one rank, which waits for nothing: for instructions. */
    static List<MpiRow> ofInstructions() {
        var rows = new ArrayList<MpiRow>();
        for (String loop : List.of("self", "persistent", "put", "allreduce", "alltoall")) {
            for (int bytes : SIZES) {
                rows.add(new MpiRow(loop, bytes, 1, bytes > 4096 ? 100 : 1000));
            }
        }
        rows.add(new MpiRow("test", 8, 1, 1000));
        return rows;
    }

    /** The arguments of either program. */
    List<String> arguments(int blocks) {
        return List.of(loop, String.valueOf(bytes), String.valueOf(operations), String.valueOf(blocks));
    }

    /** Half a round trip is what latency means. */
    double perOperation(double block) {
        return block / operations / (loop.equals("latency") ? 2 : 1);
    }

    /** Its name in the table. */
    String title() {
        return loop + "-" + bytes + (ranks > 2 ? ", " + ranks + " ranks" : "");
    }
}
