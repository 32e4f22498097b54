/** Sockets over RDMA for java.nio. */
@SuppressWarnings("module") // isthmus-netty is built after this
module dev.isthmus.nio {
    requires transitive dev.isthmus;
    requires jdk.net;

    exports dev.isthmus.nio;
    exports dev.isthmus.nio.stream to
            dev.isthmus.netty;
}
