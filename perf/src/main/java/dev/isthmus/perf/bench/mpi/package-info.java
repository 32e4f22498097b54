/** MPI in Java beside the same calls in C: {@code isthmus perf mpi}. */
package dev.isthmus.perf.bench.mpi;
