// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.attributes;

import dev.isthmus.internal.Codes;

/**
 * With whom a device's atomics are atomic: {@code enum ibv_atomic_cap}.
 */
public enum AtomicCapability {
    /** The device has no atomics. {@code IBV_ATOMIC_NONE}. */
    NONE(0),
    /** Atomic among the queue pairs of this device only. {@code IBV_ATOMIC_HCA}. */
    HCA(1),
    /** Atomic with the CPU and with other devices, too. {@code IBV_ATOMIC_GLOB}. */
    GLOB(2),
    /** A code that this version of Isthmus does not know. */
    UNKNOWN(-1);

    private static final Codes<AtomicCapability> CODES = new Codes<>(values(), AtomicCapability::code, UNKNOWN);

    private final int code;

    AtomicCapability(int code) {
        this.code = code;
    }

    /**
     * The value of the C constant.
     *
     * @return its code, -1 for {@link #UNKNOWN}
     */
    public int code() {
        return code;
    }

    /**
     * The constant of a code of {@code enum ibv_atomic_cap}.
     *
     * @param code the C value
     * @return its constant, {@link #UNKNOWN} if there is none
     */
    public static AtomicCapability of(int code) {
        return CODES.of(code);
    }
}
