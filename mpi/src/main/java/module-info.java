/** MPI for Java, on the ABI that its standard fixes for every implementation. Needs neither verbs nor UCX of Isthmus. */
module dev.isthmus.mpi {
    requires dev.isthmus.bindings.mpi;

    exports dev.isthmus.mpi;
}
