/**
 * The FFM bindings of MPI's standard ABI ({@code mpi_abi.h}: class {@code mpi_abi_h}) as jextract generated them, for the
 * module {@code dev.isthmus.mpi} alone. Never edited: {@code bindings/generate} makes them anew, and
 * {@code bindings/README.md} says from what.
 *
 * <p>The first use of anything here looks for {@code libmpi_abi.so.1} where the linker does, and takes the one that is
 * loaded already: {@code dev.isthmus.mpi} loads it before, from where it is. An MPI brings UCX, which takes over
 * SIGSEGV unless the environment variable {@code UCX_ERROR_SIGNALS} is set to nothing; a JVM needs that signal.
 */
package dev.isthmus.bindings.mpi;
