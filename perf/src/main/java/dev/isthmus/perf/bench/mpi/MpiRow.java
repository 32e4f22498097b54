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
 * @param warmUp how often the loop runs for some operations before: C2 has compiled it after 5,000 times
 */
record MpiRow(String loop, int bytes, int ranks, int operations, int warmUp) {

    private static final int COMPILED = 7000;

    private static final List<String> BY_TURNS = List.of(
            "send", "recv", "prepared-send", "prepared-recv", "isend", "irecv", "prepared-isend", "prepared-irecv");
    private static final List<Integer> SIZES = List.of(8, 4096, 65_536);

    /**
     * Those in which ranks wait for each other: for times.
     *
     * @param ranks of the collective calls
     * @param tcp whether a message takes that much longer
     */
    static List<MpiRow> ofTimes(int ranks, boolean tcp) {
        int slower = tcp || ranks > 2 ? 8 : 1;
        int warmUp = COMPILED / slower; // what compiles then adds microseconds, where a message takes a hundred
        var rows = new ArrayList<MpiRow>();
        for (int bytes : SIZES) {
            rows.add(new MpiRow("latency", bytes, 2, (bytes > 4096 ? 512 : 2048) / slower, warmUp));
        }
        for (int bytes : SIZES) {
            rows.add(new MpiRow("stream", bytes, 2, (bytes > 4096 ? 512 : 4096) / slower, warmUp));
        }
        for (String loop : List.of("allreduce", "alltoall")) {
            for (int bytes : SIZES) {
                rows.add(new MpiRow(loop, bytes, ranks, (bytes > 4096 ? 128 : 512) / slower, warmUp));
            }
        }
        return rows;
    }

    /** Those in which no rank waits for another, because there is one, or each sleeps while the other works: for instructions. */
    static List<MpiRow> ofInstructions() {
        var rows = new ArrayList<MpiRow>();
        for (String loop : BY_TURNS) {
            for (int bytes : List.of(8, 4096)) { // larger ones are not sent before the other rank has answered
                rows.add(new MpiRow(loop, bytes, 2, MpiLoops.BURST, COMPILED));
            }
        }
        for (String loop : List.of("self", "persistent", "put", "allreduce", "alltoall")) {
            for (int bytes : SIZES) {
                rows.add(new MpiRow(loop, bytes, 1, bytes > 4096 ? 100 : 1000, COMPILED));
            }
        }
        rows.add(new MpiRow("test", 8, 1, 1000, COMPILED));
        return rows;
    }

    /** The arguments of either program. */
    List<String> arguments(int blocks) {
        return List.of(
                loop,
                String.valueOf(bytes),
                String.valueOf(operations),
                String.valueOf(blocks),
                String.valueOf(warmUp));
    }

    /** Half a round trip is what latency means. */
    double perOperation(double block) {
        return block / operations / (loop.equals("latency") ? 2 : 1);
    }

    /** Whether its two ranks work by turns. */
    boolean isByTurns() {
        return BY_TURNS.contains(loop);
    }

    /** Its name in the table. */
    String title() {
        return loop + "-" + bytes + (ranks > 2 ? "-" + ranks : "");
    }
}
