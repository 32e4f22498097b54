// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.isthmus.perf.common.Side;
import java.util.Locale;

/** A way for two processes to communicate: a language, a library, and what it uses of that. */
enum Way {
    C_VERBS_SEND(Side.C, Family.VERBS),
    C_VERBS_WRITE(Side.C, Family.VERBS),
    C_VERBS_READ(Side.C, Family.VERBS),
    JAVA_VERBS_SEND(Side.JAVA, Family.VERBS),
    JAVA_VERBS_WRITE(Side.JAVA, Family.VERBS),
    JAVA_VERBS_READ(Side.JAVA, Family.VERBS),
    C_UCX(Side.C, Family.UCX),
    JAVA_UCX(Side.JAVA, Family.UCX),
    JUCX(Side.JUCX, Family.UCX),
    NIO_BLOCKING(Side.JAVA, Family.NIO),
    NIO_NON_BLOCKING(Side.JAVA, Family.NIO),
    C_SOCKETS(Side.C, Family.STREAM),
    JAVA_SOCKETS(Side.JAVA, Family.STREAM),
    C_TCP(Side.C, Family.STREAM),
    NETTY_TCP(Side.JAVA, Family.NETTY),
    NETTY_EPOLL(Side.JAVA, Family.NETTY),
    NETTY_PROVIDER(Side.JAVA, Family.NETTY),
    NETTY_RDMA(Side.JAVA, Family.NETTY);

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

    private final Side side;
    private final Family family;

    Way(Side side, Family family) {
        this.side = side;
        this.family = family;
    }

    /** The name in options and files. */
    @JsonValue
    String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
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
