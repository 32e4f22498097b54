// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.attributes;

import dev.isthmus.internal.Codes;

/**
 * The physical state of a port: {@code phys_state} of {@code struct ibv_port_attr}, with the codes of the
 * InfiniBand specification.
 */
public enum PhysicalState {
    /** Asleep: sends nothing. */
    SLEEP(1),
    /** Looks for a peer. */
    POLLING(2),
    /** Switched off. */
    DISABLED(3),
    /** Has found a peer; both agree on speed and width. */
    PORT_CONFIGURATION_TRAINING(4),
    /** The link is up. */
    LINK_UP(5),
    /** The link has failed and is recovering. */
    LINK_ERROR_RECOVERY(6),
    /** Under test. */
    PHY_TEST(7),
    /** A code that this version of Isthmus does not know. */
    UNKNOWN(-1);

    private static final Codes<PhysicalState> CODES = new Codes<>(values(), PhysicalState::code, UNKNOWN);

    private final int code;

    PhysicalState(int code) {
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
     * The constant of a code of the InfiniBand specification.
     *
     * @param code the C value
     * @return its constant, {@link #UNKNOWN} if there is none
     */
    public static PhysicalState of(int code) {
        return CODES.of(code);
    }
}
