/**
 * MPI in the words of its standard, over {@link java.lang.foreign.MemorySegment}: {@link dev.isthmus.mpi.Mpi} initialises it,
 * a {@link dev.isthmus.mpi.Communicator} has the calls that transfer data, and a {@link dev.isthmus.mpi.Buffer} is what they
 * transfer. It calls the ABI that MPI 5 fixes for every implementation, and needs nothing else of Isthmus.
 *
 * {@snippet :
 * try (Mpi mpi = Mpi.init(); Arena arena = Arena.ofConfined()) { // mpiexec -n 4 java Ring.java
 *     Communicator world = mpi.world();
 *     Buffer token = Buffer.of(arena.allocate(ValueLayout.JAVA_INT), Datatype.INT);
 *     int right = (world.rank() + 1) % world.size();
 *     int left = (world.rank() + world.size() - 1) % world.size();
 *     world.sendrecvReplace(token, right, 0, left, 0);
 * }
 * }
 *
 * <p>A call without prefix blocks; one with i starts a {@link dev.isthmus.mpi.Request}; one with Init prepares it, to be
 * started any number of times. Where a call is collective, all ranks of the communicator make it.
 */
package dev.isthmus.mpi;
