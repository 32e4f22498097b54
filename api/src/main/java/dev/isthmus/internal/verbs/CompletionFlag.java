// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.verbs;

/** The flags of a completion: bits of {@code enum ibv_wc_flags}. */
public final class CompletionFlag {

    /** {@code IBV_WC_GRH}. */
    public static final int GRH = 1;

    /** {@code IBV_WC_WITH_IMM}. */
    public static final int WITH_IMM = 1 << 1;

    /** {@code IBV_WC_IP_CSUM_OK}. */
    public static final int IP_CSUM_OK = 1 << 2;

    /** {@code IBV_WC_WITH_INV}. */
    public static final int WITH_INV = 1 << 3;

    private CompletionFlag() {}
}
