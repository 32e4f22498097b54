// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.isthmus.mpi.Buffer;
import dev.isthmus.mpi.Communicator;
import dev.isthmus.mpi.Datatype;
import dev.isthmus.mpi.Mpi;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Sends a number once around all ranks of MPI, each of which adds its own. */
public final class MpiRing {

    private MpiRing() {}

    /**
     * Started by {@code mpiexec}.
     *
     * @param args none
     */
    public static void main(String[] args) {
        Mpi.run(mpi -> {
            Communicator world = mpi.world();
            int left = (world.rank() + world.size() - 1) % world.size();
            int right = (world.rank() + 1) % world.size();
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment number = arena.allocate(JAVA_INT);
                Buffer buffer = Buffer.of(number, Datatype.INT); // checked here, and then used any number of times
                if (world.rank() != 0) {
                    world.recv(buffer, left, 0);
                    number.set(JAVA_INT, 0, number.get(JAVA_INT, 0) + world.rank());
                    world.send(buffer, right, 0);
                } else {
                    // In a ring of one it sends to itself: only together do the two not wait for each other.
                    world.sendrecvReplace(buffer, right, 0, left, 0);
                    System.out.println("went around " + world.size() + " ranks: " + number.get(JAVA_INT, 0));
                }
            }
        });
    }
}
