// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;

import dev.isthmus.mpi.Buffer;
import dev.isthmus.mpi.Communicator;
import dev.isthmus.mpi.Datatype;
import dev.isthmus.mpi.GuardedArena;
import dev.isthmus.mpi.Mpi;
import dev.isthmus.mpi.Operation;
import dev.isthmus.mpi.Requests;
import java.lang.foreign.MemorySegment;
import java.util.Locale;

/** Spreads heat over a plate that ranks of MPI share: each exchanges the border of its part with four neighbours. */
public final class MpiHalo {

    private static final int POINTS = 48; // of the plate, each way; its edges are fixed
    private static final int STEPS = 500;
    private static final double HOT = 100; // the upper edge; the others have 0

    private final Communicator grid;
    private final int rows;
    private final int columns;
    private final MemorySegment now;
    private final MemorySegment next;

    private MpiHalo(Communicator grid, int[] dims, GuardedArena arena) {
        this.grid = grid;
        rows = POINTS / dims[0];
        columns = POINTS / dims[1];
        now = arena.allocate(JAVA_DOUBLE, (rows + 2L) * (columns + 2));
        next = arena.allocate(JAVA_DOUBLE, (rows + 2L) * (columns + 2));
    }

    /**
     * Started by {@code mpiexec}, on a number of ranks that divides 48 evenly.
     *
     * @param args none
     */
    public static void main(String[] args) {
        Mpi.run(mpi -> {
            int[] dims = Communicator.dimsCreate(mpi.world().size(), 0, 0);
            if (POINTS % dims[0] != 0 || POINTS % dims[1] != 0) {
                throw new IllegalArgumentException("a plate of 48 points is not divided among " + mpi.world());
            }
            try (GuardedArena arena = GuardedArena.ofConfined();
                    Communicator grid = mpi.world().cartCreate(dims, new boolean[2], false)) {
                double sum = new MpiHalo(grid, dims, arena).run();
                MemorySegment all = arena.allocateFrom(JAVA_DOUBLE, sum);
                grid.allreduce(Buffer.IN_PLACE, Buffer.of(all, Datatype.DOUBLE), Operation.SUM);
                if (grid.rank() == 0) {
                    double mean = all.get(JAVA_DOUBLE, 0) / (POINTS * POINTS);
                    System.out.printf(Locale.ROOT, "%d x %d ranks, mean %.6f%n", dims[0], dims[1], mean);
                }
            }
        });
    }

    private double run() {
        Communicator.Shift vertical = grid.cartShift(0, 1); // nobody beyond an edge: then nothing is transferred
        Communicator.Shift horizontal = grid.cartShift(1, 1);
        for (int column = 1; vertical.source() == Communicator.PROC_NULL && column <= columns; column++) {
            now.setAtIndex(JAVA_DOUBLE, at(0, column), HOT);
        }
        // A column is one number of each row. The operations are prepared once, and started in each step.
        try (Datatype row = Datatype.contiguous(columns, Datatype.DOUBLE);
                Datatype column = Datatype.vector(rows, 1, columns + 2, Datatype.DOUBLE);
                Requests border = Requests.create(8)) {
            prepare(border, 0, vertical.source(), buffer(1, 1, row), buffer(0, 1, row));
            prepare(border, 2, vertical.dest(), buffer(rows, 1, row), buffer(rows + 1, 1, row));
            prepare(border, 4, horizontal.source(), buffer(1, 1, column), buffer(1, 0, column));
            prepare(border, 6, horizontal.dest(), buffer(1, columns, column), buffer(1, columns + 1, column));
            for (int step = 0; step < STEPS; step++) {
                border.startAll();
                border.waitAll();
                spread();
            }
        }
        return sum();
    }

    private void prepare(Requests border, int index, int neighbour, Buffer inner, Buffer outer) {
        grid.sendInit(inner, neighbour, 0, border.get(index));
        grid.recvInit(outer, neighbour, 0, border.get(index + 1));
    }

    private Buffer buffer(int row, int column, Datatype type) {
        return Buffer.of(now.asSlice(at(row, column) * JAVA_DOUBLE.byteSize()), 1, type);
    }

    private long at(int row, int column) {
        return row * (columns + 2L) + column;
    }

    private double temperature(int row, int column) {
        return now.getAtIndex(JAVA_DOUBLE, at(row, column));
    }

    private void spread() {
        for (int row = 1; row <= rows; row++) {
            for (int column = 1; column <= columns; column++) {
                double sum = temperature(row - 1, column)
                        + temperature(row + 1, column)
                        + temperature(row, column - 1)
                        + temperature(row, column + 1);
                next.setAtIndex(JAVA_DOUBLE, at(row, column), sum / 4);
            }
        }
        for (int row = 1; row <= rows; row++) { // without the border
            MemorySegment.copy(next, at(row, 1) * 8, now, at(row, 1) * 8, columns * 8L);
        }
    }

    private double sum() {
        double sum = 0;
        for (int row = 1; row <= rows; row++) {
            for (int column = 1; column <= columns; column++) {
                sum += temperature(row, column);
            }
        }
        return sum;
    }
}
