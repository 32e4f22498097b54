// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.internal.Codes;

/**
 * Whether a connection can move to its alternate path: {@code enum ibv_mig_state}.
 */
public enum PathMigrationState {
    /** It has moved to the alternate path, or there is none. {@code IBV_MIG_MIGRATED}. */
    MIGRATED(0),
    /** The peer is being asked to be ready to move again. {@code IBV_MIG_REARM}. */
    REARM(1),
    /** Both ends are ready to move. {@code IBV_MIG_ARMED}. */
    ARMED(2),
    /** A code that this version of Isthmus does not know. */
    UNKNOWN(-1);

    private static final Codes<PathMigrationState> CODES = new Codes<>(values(), PathMigrationState::code, UNKNOWN);

    private final int code;

    PathMigrationState(int code) {
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
     * The constant of a code of {@code enum ibv_mig_state}.
     *
     * @param code the C value
     * @return its constant, {@link #UNKNOWN} if there is none
     */
    public static PathMigrationState of(int code) {
        return CODES.of(code);
    }
}
