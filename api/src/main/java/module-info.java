/** The RDMA data path for Java: verbs, connection management and UCX over the Foreign Function and Memory API. */
module dev.isthmus {
    requires dev.isthmus.bindings.ibverbs;
    requires dev.isthmus.bindings.ucx;
    requires static jdk.jfr;

    exports dev.isthmus;
    exports dev.isthmus.buffers;
    exports dev.isthmus.cm;
    exports dev.isthmus.loop;
    exports dev.isthmus.ucx;
    exports dev.isthmus.verbs;
    exports dev.isthmus.verbs.attributes;
    exports dev.isthmus.verbs.cqex;
    exports dev.isthmus.verbs.devicememory;
    exports dev.isthmus.verbs.exchange;
    exports dev.isthmus.verbs.flow;
    exports dev.isthmus.verbs.rss;
    exports dev.isthmus.verbs.tags;
    exports dev.isthmus.verbs.xrc;
}
