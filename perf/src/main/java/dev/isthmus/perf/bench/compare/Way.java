// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import com.fasterxml.jackson.annotation.JsonValue;

/** A way for two processes to communicate: a language, a library, and what it uses of that. */
enum Way {
    C_VERBS_SEND("c-verbs-send", "C verbs, SEND"),
    C_VERBS_WRITE("c-verbs-write", "C verbs, RDMA WRITE"),
    C_VERBS_READ("c-verbs-read", "C verbs, RDMA READ"),
    JAVA_VERBS_SEND("java-verbs-send", "Java verbs, SEND"),
    JAVA_VERBS_WRITE("java-verbs-write", "Java verbs, RDMA WRITE"),
    JAVA_VERBS_READ("java-verbs-read", "Java verbs, RDMA READ"),
    C_UCX("c-ucx", "C UCX"),
    JAVA_UCX("java-ucx", "Java UCX"),
    JUCX("jucx", "JUCX"),
    NIO_BLOCKING("nio-blocking", "Java NIO, blocking"),
    NIO_NON_BLOCKING("nio-non-blocking", "Java NIO, non-blocking"),
    C_SOCKETS("c-sockets", "C sockets over RDMA"),
    JAVA_SOCKETS("java-sockets", "Java sockets over RDMA"),
    C_TCP("c-tcp", "C sockets over TCP"),
    NETTY_TCP("netty-tcp", "Netty over TCP, NIO"),
    NETTY_EPOLL("netty-epoll", "Netty over TCP, epoll"),
    NETTY_RDMA("netty-rdma", "Netty over RDMA");

    private final String id;
    private final String title;

    Way(String id, String title) {
        this.id = id;
        this.title = title;
    }

    /** The name in options and files. */
    @JsonValue
    String id() {
        return id;
    }

    /** The name in words, as tables have it. */
    String title() {
        return title;
    }

    /** Whether it is a program like rstream, which has one connection, and one direction at a time. */
    boolean isStream() {
        return this == C_SOCKETS || this == JAVA_SOCKETS || this == C_TCP;
    }

    /** Whether it is a program on Netty. */
    boolean isNetty() {
        return this == NETTY_TCP || this == NETTY_EPOLL || this == NETTY_RDMA;
    }

    /** Whether it uses TCP. */
    boolean isTcp() {
        return this == NIO_BLOCKING
                || this == NIO_NON_BLOCKING
                || this == C_TCP
                || this == NETTY_TCP
                || this == NETTY_EPOLL;
    }

    /** Whether its 99.9th percentile is of the last messages only, which is all that ucx_perftest reports. */
    boolean isOfLastMessages() {
        return this == C_UCX || this == JAVA_UCX || this == JUCX;
    }
}
