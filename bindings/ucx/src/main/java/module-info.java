/** The generated bindings of OpenUCX (UCP), for the library module {@code dev.isthmus} alone. */
module dev.isthmus.bindings.ucx {
    exports dev.isthmus.bindings.ucx to
            dev.isthmus;
}
