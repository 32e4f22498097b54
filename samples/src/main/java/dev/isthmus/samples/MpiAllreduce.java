// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;

import dev.isthmus.mpi.Buffer;
import dev.isthmus.mpi.Communicator;
import dev.isthmus.mpi.Datatype;
import dev.isthmus.mpi.Mpi;
import dev.isthmus.mpi.Operation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Locale;

/** Integrates 4 / (1 + x²) in parts, whose sum all ranks of MPI get by allreduce: pi. */
public final class MpiAllreduce {

    private static final int STEPS = 1_000_000;

    private MpiAllreduce() {}

    /**
     * Started by {@code mpiexec}.
     *
     * @param args none
     */
    public static void main(String[] args) {
        Mpi.run(mpi -> {
            Communicator world = mpi.world();
            double part = 0;
            for (int i = world.rank(); i < STEPS; i += world.size()) {
                double x = (i + 0.5) / STEPS;
                part += 4 / (1 + x * x) / STEPS;
            }
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment pi = arena.allocateFrom(JAVA_DOUBLE, part);
                world.allreduce(Buffer.IN_PLACE, Buffer.of(pi, Datatype.DOUBLE), Operation.SUM);
                if (world.rank() == 0) {
                    System.out.printf(
                            Locale.ROOT, "%d ranks, error %.10f%n", world.size(), pi.get(JAVA_DOUBLE, 0) - Math.PI);
                }
            }
        });
    }
}
