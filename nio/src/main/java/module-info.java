// SPDX-License-Identifier: Apache-2.0
/** Sockets over RDMA for java.nio. */
module dev.isthmus.nio {
    requires transitive dev.isthmus;

    exports dev.isthmus.nio;
}
