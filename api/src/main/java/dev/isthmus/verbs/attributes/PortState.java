// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.attributes;

import dev.isthmus.internal.Codes;
import dev.isthmus.internal.verbs.Conversions;

/**
 * The logical state of a port: {@code enum ibv_port_state}.
 */
public enum PortState {
    /** Not specified. {@code IBV_PORT_NOP}. */
    NOP(0),
    /** The link is down. {@code IBV_PORT_DOWN}. */
    DOWN(1),
    /** The link is up, not yet configured. {@code IBV_PORT_INIT}. */
    INIT(2),
    /** Configured, not yet active. {@code IBV_PORT_ARMED}. */
    ARMED(3),
    /** Can be used. {@code IBV_PORT_ACTIVE}. */
    ACTIVE(4),
    /** Active, after a lost link that may come back. {@code IBV_PORT_ACTIVE_DEFER}. */
    ACTIVE_DEFER(5),
    /** A code that this version of Isthmus does not know. */
    UNKNOWN(-1);

    private static final Codes<PortState> CODES = new Codes<>(values(), PortState::code, UNKNOWN);

    private final int code;

    PortState(int code) {
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
     * The constant of a code of {@code enum ibv_port_state}.
     *
     * @param code the C value
     * @return its constant, {@link #UNKNOWN} if there is none
     */
    public static PortState of(int code) {
        return CODES.of(code);
    }

    /**
     * libibverbs' name for it: {@code ibv_port_state_str}.
     *
     * @return words such as {@code active}
     * @throws dev.isthmus.RdmaUnavailableException if libibverbs is not installed or native access is denied
     */
    public String description() {
        return Conversions.portState(code);
    }
}
