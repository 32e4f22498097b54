// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.attributes;

import dev.isthmus.internal.Codes;

/**
 * The speed of a lane: {@code active_speed} of {@code struct ibv_port_attr}.
 */
public enum LinkSpeed {
    /** Single data rate: 2.5 Gbit/s. */
    SDR(1, 2.5),
    /** Double data rate: 5 Gbit/s. */
    DDR(2, 5),
    /** Quad data rate: 10 Gbit/s. */
    QDR(4, 10),
    /** FDR-10: 10 Gbit/s with less overhead than {@link #QDR}. */
    FDR10(8, 10),
    /** Fourteen data rate: 14 Gbit/s. */
    FDR(16, 14),
    /** Enhanced data rate: 25 Gbit/s. */
    EDR(32, 25),
    /** High data rate: 50 Gbit/s. */
    HDR(64, 50),
    /** Next data rate: 100 Gbit/s. */
    NDR(128, 100),
    /** A code that this version of Isthmus does not know. */
    UNKNOWN(-1, 0);

    private static final Codes<LinkSpeed> CODES = new Codes<>(values(), LinkSpeed::code, UNKNOWN);

    private final int code;
    private final double gbps;

    LinkSpeed(int code, double gbps) {
        this.code = code;
        this.gbps = gbps;
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
     * The constant of a code of {@code active_speed}.
     *
     * @param code the C value
     * @return its constant, {@link #UNKNOWN} if there is none
     */
    public static LinkSpeed of(int code) {
        return CODES.of(code);
    }

    /**
     * The nominal speed of a lane.
     *
     * @return Gbit/s, 0 for {@link #UNKNOWN}
     */
    public double gbps() {
        return gbps;
    }
}
