/** The RDMA data path for Java: verbs over the Foreign Function and Memory API. */
module dev.isthmus {
    requires dev.isthmus.bindings.ibverbs;

    exports dev.isthmus;
    exports dev.isthmus.verbs;
}
