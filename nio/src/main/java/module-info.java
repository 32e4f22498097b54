/** Sockets over RDMA for java.nio. */
module dev.isthmus.nio {
    requires transitive dev.isthmus;
    requires jdk.net;

    exports dev.isthmus.nio;
}
