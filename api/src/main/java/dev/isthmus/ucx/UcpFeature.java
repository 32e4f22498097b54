// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

/**
 * A feature to ask a context for: {@code enum ucp_feature}. UCX leaves out transports and set-up that no requested
 * feature needs. Operations of a feature that was not requested are refused.
 */
public enum UcpFeature {
    /** {@code UCP_FEATURE_TAG}: messages matched by tag. */
    TAG(1),
    /** {@code UCP_FEATURE_RMA}: remote memory access. */
    RMA(1 << 1),
    /** {@code UCP_FEATURE_AMO32}: atomics of 32 bits. */
    AMO32(1 << 2),
    /** {@code UCP_FEATURE_AMO64}: atomics of 64 bits. */
    AMO64(1 << 3),
    /** {@code UCP_FEATURE_WAKEUP}: waiting for events without polling. */
    WAKEUP(1 << 4),
    /** {@code UCP_FEATURE_STREAM}: byte streams. */
    STREAM(1 << 5),
    /** {@code UCP_FEATURE_AM}: active messages. */
    AM(1 << 6);

    private final int bit;

    UcpFeature(int bit) {
        this.bit = bit;
    }

    int bit() {
        return bit;
    }
}
