// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.isthmus.perf.common.Side;

/** A way for two processes to communicate: a language, a library, and what it uses of that. */
enum Way {
    C_VERBS_SEND("c-verbs-send", Side.C, Family.VERBS),
    C_VERBS_WRITE("c-verbs-write", Side.C, Family.VERBS),
    C_VERBS_READ("c-verbs-read", Side.C, Family.VERBS),
    JAVA_VERBS_SEND("java-verbs-send", Side.JAVA, Family.VERBS),
    JAVA_VERBS_WRITE("java-verbs-write", Side.JAVA, Family.VERBS),
    JAVA_VERBS_READ("java-verbs-read", Side.JAVA, Family.VERBS),
    C_UCX("c-ucx", Side.C, Family.UCX),
    JAVA_UCX("java-ucx", Side.JAVA, Family.UCX),
    JUCX("jucx", Side.JUCX, Family.UCX),
    NIO_BLOCKING("nio-blocking", Side.JAVA, Family.NIO),
    NIO_NON_BLOCKING("nio-non-blocking", Side.JAVA, Family.NIO),
    C_SOCKETS("c-sockets", Side.C, Family.STREAM),
    JAVA_SOCKETS("java-sockets", Side.JAVA, Family.STREAM),
    C_TCP("c-tcp", Side.C, Family.STREAM),
    NETTY_TCP("netty-tcp", Side.JAVA, Family.NETTY),
    NETTY_EPOLL("netty-epoll", Side.JAVA, Family.NETTY),
    NETTY_RDMA("netty-rdma", Side.JAVA, Family.NETTY);

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
    private final Side side;
    private final Family family;

    Way(String id, Side side, Family family) {
        this.id = id;
        this.side = side;
        this.family = family;
    }

    /** The name in options and files. */
    @JsonValue
    String id() {
        return id;
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
