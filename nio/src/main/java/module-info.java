/** Sockets over RDMA for java.nio. */
module dev.isthmus.nio {
    requires transitive dev.isthmus;

    exports dev.isthmus.nio;
}
