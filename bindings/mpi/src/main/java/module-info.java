/** The generated bindings of MPI's standard ABI, for the library module {@code dev.isthmus.mpi} alone. */
module dev.isthmus.bindings.mpi {
    exports dev.isthmus.bindings.mpi to
            dev.isthmus.mpi;
}
