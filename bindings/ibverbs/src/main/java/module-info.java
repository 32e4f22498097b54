/** The generated bindings of libibverbs and librdmacm, for the library module {@code dev.isthmus} alone. */
module dev.isthmus.bindings.ibverbs {
    exports dev.isthmus.bindings.ibverbs to
            dev.isthmus;
}
