// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.internal.Codes;
import dev.isthmus.internal.verbs.Conversions;
import java.util.OptionalInt;

/**
 * The maximum rate of a path: {@code enum ibv_rate}. libibverbs does the conversions.
 */
public enum Rate {
    /** As fast as the port. {@code IBV_RATE_MAX}. */
    MAX(0),
    /** 2.5 Gbit/s. {@code IBV_RATE_2_5_GBPS}. */
    GBPS_2_5(2),
    /** 5 Gbit/s. {@code IBV_RATE_5_GBPS}. */
    GBPS_5(5),
    /** 10 Gbit/s. {@code IBV_RATE_10_GBPS}. */
    GBPS_10(3),
    /** 20 Gbit/s. {@code IBV_RATE_20_GBPS}. */
    GBPS_20(6),
    /** 30 Gbit/s. {@code IBV_RATE_30_GBPS}. */
    GBPS_30(4),
    /** 40 Gbit/s. {@code IBV_RATE_40_GBPS}. */
    GBPS_40(7),
    /** 60 Gbit/s. {@code IBV_RATE_60_GBPS}. */
    GBPS_60(8),
    /** 80 Gbit/s. {@code IBV_RATE_80_GBPS}. */
    GBPS_80(9),
    /** 120 Gbit/s. {@code IBV_RATE_120_GBPS}. */
    GBPS_120(10),
    /** 14 Gbit/s. {@code IBV_RATE_14_GBPS}. */
    GBPS_14(11),
    /** 56 Gbit/s. {@code IBV_RATE_56_GBPS}. */
    GBPS_56(12),
    /** 112 Gbit/s. {@code IBV_RATE_112_GBPS}. */
    GBPS_112(13),
    /** 168 Gbit/s. {@code IBV_RATE_168_GBPS}. */
    GBPS_168(14),
    /** 25 Gbit/s. {@code IBV_RATE_25_GBPS}. */
    GBPS_25(15),
    /** 100 Gbit/s. {@code IBV_RATE_100_GBPS}. */
    GBPS_100(16),
    /** 200 Gbit/s. {@code IBV_RATE_200_GBPS}. */
    GBPS_200(17),
    /** 300 Gbit/s. {@code IBV_RATE_300_GBPS}. */
    GBPS_300(18),
    /** 28 Gbit/s. {@code IBV_RATE_28_GBPS}. */
    GBPS_28(19),
    /** 50 Gbit/s. {@code IBV_RATE_50_GBPS}. */
    GBPS_50(20),
    /** 400 Gbit/s. {@code IBV_RATE_400_GBPS}. */
    GBPS_400(21),
    /** 600 Gbit/s. {@code IBV_RATE_600_GBPS}. */
    GBPS_600(22),
    /** 800 Gbit/s. {@code IBV_RATE_800_GBPS}. */
    GBPS_800(23),
    /** 1200 Gbit/s. {@code IBV_RATE_1200_GBPS}. */
    GBPS_1200(24),
    /** A code that this version of Isthmus does not know. */
    UNKNOWN(-1);

    private static final Codes<Rate> CODES = new Codes<>(values(), Rate::code, UNKNOWN);

    private final int code;

    Rate(int code) {
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
     * The constant of a code of {@code enum ibv_rate}.
     *
     * @param code the C value
     * @return its constant, {@link #UNKNOWN} if there is none
     */
    public static Rate of(int code) {
        return CODES.of(code);
    }

    /**
     * The rate as a multiple of 2.5 Gbit/s: {@code ibv_rate_to_mult}.
     *
     * @return the multiple; empty for {@link #MAX}, {@link #UNKNOWN} and rates that are no multiple
     * @throws dev.isthmus.RdmaUnavailableException if libibverbs is not installed or native access is denied
     */
    public OptionalInt multiple() {
        return positive(Conversions.rateToMultiple(code));
    }

    /**
     * The rate in Mbit/s: {@code ibv_rate_to_mbps}.
     *
     * @return Mbit/s; empty for {@link #MAX}, {@link #UNKNOWN} and rates that an older library does not know
     * @throws dev.isthmus.RdmaUnavailableException if libibverbs is not installed or native access is denied
     */
    public OptionalInt mbps() {
        return positive(Conversions.rateToMbps(code));
    }

    /**
     * The rate that is a multiple of 2.5 Gbit/s: {@code mult_to_ibv_rate}.
     *
     * @param multiple the multiple
     * @return the rate, {@link #MAX} if there is none
     * @throws dev.isthmus.RdmaUnavailableException if libibverbs is not installed or native access is denied
     */
    public static Rate ofMultiple(int multiple) {
        return of(Conversions.multipleToRate(multiple));
    }

    /**
     * The rate with this many Mbit/s: {@code mbps_to_ibv_rate}.
     *
     * @param mbps Mbit/s, exactly as {@link #mbps()} gives it
     * @return the rate, {@link #MAX} if there is none
     * @throws dev.isthmus.RdmaUnavailableException if libibverbs is not installed or native access is denied
     */
    public static Rate ofMbps(int mbps) {
        return of(Conversions.mbpsToRate(mbps));
    }

    private static OptionalInt positive(int value) {
        return value > 0 ? OptionalInt.of(value) : OptionalInt.empty();
    }
}
