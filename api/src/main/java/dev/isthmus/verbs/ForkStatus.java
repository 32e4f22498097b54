// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.internal.Codes;

/** Whether a process that has registered memory may fork: {@code enum ibv_fork_status}. */
public enum ForkStatus {
    /** After a fork, the parent's writes can go to copies that the device does not see. {@code IBV_FORK_DISABLED}. */
    DISABLED(0),
    /** Registered memory is not inherited: a child that touches it dies. {@code IBV_FORK_ENABLED}. */
    ENABLED(1),
    /** The kernel copies registered memory for a child at once, so nothing is needed. {@code IBV_FORK_UNNEEDED}. */
    UNNEEDED(2),
    /** A status that Isthmus does not know. */
    UNKNOWN(-1);

    private static final Codes<ForkStatus> CODES = new Codes<>(values(), ForkStatus::code, UNKNOWN);

    private final int code;

    ForkStatus(int code) {
        this.code = code;
    }

    /**
     * The value of the C constant.
     *
     * @return its code
     */
    public int code() {
        return code;
    }

    static ForkStatus of(int code) {
        return CODES.of(code);
    }
}
