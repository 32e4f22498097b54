// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi.nas;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;

import dev.isthmus.mpi.Buffer;
import dev.isthmus.mpi.Communicator;
import dev.isthmus.mpi.Datatype;
import dev.isthmus.mpi.Operation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** EP, embarrassingly parallel: sums of Gaussian deviates, which each rank draws of its own part of the numbers. */
final class Ep {

    private Ep() {}

    static boolean verify(Communicator world, boolean small) {
        long pairs = 1L << (small ? 24 : 25);
        double expectedX = small ? -3.247834652034740e3 : -2.863319731645753e3;
        double expectedY = small ? -6.958407078382297e3 : -6.320053679109499e3;
        Nas.begin(world);
        long first = pairs * world.rank() / world.size();
        long end = pairs * (world.rank() + 1) / world.size();
        var random = new NasRandom(271_828_183).skip(2 * first);
        double x = 0;
        double y = 0;
        for (long i = first; i < end; i++) {
            double a = 2 * random.next() - 1;
            double b = 2 * random.next() - 1;
            double t = a * a + b * b;
            if (t <= 1) {
                double factor = Math.sqrt(-2 * Math.log(t) / t);
                x += a * factor;
                y += b * factor;
            }
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment sums = arena.allocateFrom(JAVA_DOUBLE, x, y);
            world.allreduce(Buffer.IN_PLACE, Buffer.of(sums, Datatype.DOUBLE), Operation.SUM);
            Nas.end();
            return Nas.isNear(expectedX, sums.getAtIndex(JAVA_DOUBLE, 0), 1e-8)
                    && Nas.isNear(expectedY, sums.getAtIndex(JAVA_DOUBLE, 1), 1e-8);
        }
    }
}
