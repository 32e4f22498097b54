// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.attributes;

import dev.isthmus.internal.Codes;

/**
 * The size of a packet's payload: {@code enum ibv_mtu}.
 */
public enum Mtu {
    /** 256 bytes. {@code IBV_MTU_256}. */
    MTU_256(1),
    /** 512 bytes. {@code IBV_MTU_512}. */
    MTU_512(2),
    /** 1024 bytes. {@code IBV_MTU_1024}. */
    MTU_1024(3),
    /** 2048 bytes. {@code IBV_MTU_2048}. */
    MTU_2048(4),
    /** 4096 bytes. {@code IBV_MTU_4096}. */
    MTU_4096(5),
    /** A code that this version of Isthmus does not know. */
    UNKNOWN(-1);

    private static final Codes<Mtu> CODES = new Codes<>(values(), Mtu::code, UNKNOWN);

    private final int code;

    Mtu(int code) {
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
     * The constant of a code of {@code enum ibv_mtu}.
     *
     * @param code the C value
     * @return its constant, {@link #UNKNOWN} if there is none
     */
    public static Mtu of(int code) {
        return CODES.of(code);
    }

    /**
     * The payload of a packet.
     *
     * @return bytes, 0 for {@link #UNKNOWN}
     */
    public int bytes() {
        return this == UNKNOWN ? 0 : 128 << code;
    }
}
