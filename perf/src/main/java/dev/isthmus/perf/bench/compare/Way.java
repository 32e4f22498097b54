// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.isthmus.perf.common.Side;

/** A way for two processes to communicate: a language, a library, and what it uses of that. */
enum Way {
    C_VERBS_SEND("c-verbs-send", "C verbs, SEND", Side.C, Family.VERBS),
    C_VERBS_WRITE("c-verbs-write", "C verbs, RDMA WRITE", Side.C, Family.VERBS),
    C_VERBS_READ("c-verbs-read", "C verbs, RDMA READ", Side.C, Family.VERBS),
    JAVA_VERBS_SEND("java-verbs-send", "Java verbs, SEND", Side.JAVA, Family.VERBS),
    JAVA_VERBS_WRITE("java-verbs-write", "Java verbs, RDMA WRITE", Side.JAVA, Family.VERBS),
    JAVA_VERBS_READ("java-verbs-read", "Java verbs, RDMA READ", Side.JAVA, Family.VERBS),
    C_UCX("c-ucx", "C UCX", Side.C, Family.UCX),
    JAVA_UCX("java-ucx", "Java UCX", Side.JAVA, Family.UCX),
    JUCX("jucx", "JUCX", Side.JUCX, Family.UCX),
    NIO_BLOCKING("nio-blocking", "Java NIO, blocking", Side.JAVA, Family.NIO),
    NIO_NON_BLOCKING("nio-non-blocking", "Java NIO, non-blocking", Side.JAVA, Family.NIO),
    C_SOCKETS("c-sockets", "C sockets over RDMA", Side.C, Family.STREAM),
    JAVA_SOCKETS("java-sockets", "Java sockets over RDMA", Side.JAVA, Family.STREAM),
    C_TCP("c-tcp", "C sockets over TCP", Side.C, Family.STREAM),
    NETTY_TCP("netty-tcp", "Netty over TCP, NIO", Side.JAVA, Family.NETTY),
    NETTY_EPOLL("netty-epoll", "Netty over TCP, epoll", Side.JAVA, Family.NETTY),
    NETTY_RDMA("netty-rdma", "Netty over RDMA", Side.JAVA, Family.NETTY);

    /** Ways that the same programs measure. */
    enum Family {
        /** perftest's programs, and ours. */
        VERBS,
        /** {@code ucx_perftest}, and ours. */
        UCX,
        /** {@code java.nio} over TCP. */
        NIO,
        /** {@code rstream}, and ours: one connection, and one direction at a time. */
        STREAM,
        /** Programs on Netty. */
        NETTY
    }

    private final String id;
    private final String title;
    private final Side side;
    private final Family family;

    Way(String id, String title, Side side, Family family) {
        this.id = id;
        this.title = title;
        this.side = side;
        this.family = family;
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

    Family family() {
        return family;
    }

    /** Whether its programs are in C: new for each run, and with nothing to compile while they run. */
    boolean isC() {
        return side == Side.C;
    }

    /** Whether it uses TCP. */
    boolean isTcp() {
        return family == Family.NIO || this == C_TCP || this == NETTY_TCP || this == NETTY_EPOLL;
    }
}
