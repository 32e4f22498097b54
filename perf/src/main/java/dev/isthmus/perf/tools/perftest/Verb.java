// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import dev.isthmus.verbs.AccessFlag;

/** What a test does, in perftest's order, whose ordinals perftest uses. */
public enum Verb {
    /** Messages, into buffers that the receiver posts. */
    SEND("Send"),

    /** RDMA WRITE. */
    WRITE("RDMA_Write"),

    /** RDMA READ. */
    READ("RDMA_Read"),

    /** Compare and swap, or fetch and add. */
    ATOMIC("Atomic");

    private final String title;

    Verb(String title) {
        this.title = title;
    }

    /** As perftest prints it. */
    String title() {
        return title;
    }

    /** What a peer may do through a queue pair. */
    AccessFlag[] access() {
        return switch (this) {
            case SEND -> new AccessFlag[] {AccessFlag.REMOTE_WRITE, AccessFlag.LOCAL_WRITE};
            case WRITE -> new AccessFlag[] {AccessFlag.REMOTE_WRITE};
            case READ -> new AccessFlag[] {AccessFlag.REMOTE_READ};
            case ATOMIC -> new AccessFlag[] {AccessFlag.REMOTE_ATOMIC};
        };
    }

    /** Whether the peer answers with data, so that times are not halved, and nothing goes inline. */
    boolean isFetch() {
        return this == READ || this == ATOMIC;
    }
}
