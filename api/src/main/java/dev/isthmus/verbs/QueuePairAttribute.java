// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

/** The members of {@code struct ibv_qp_attr} that a transition can set: {@code enum ibv_qp_attr_mask}. */
enum QueuePairAttribute {
    CURRENT_STATE("currentState", 1),
    SQD_ASYNC_NOTIFY("sqdAsyncNotify", 2),
    ACCESS("access", 3),
    PKEY_INDEX("pkeyIndex", 4),
    PORT("port", 5),
    QKEY("qkey", 6),
    PATH("path", 7),
    PATH_MTU("pathMtu", 8),
    TIMEOUT("timeout", 9),
    RETRY_COUNT("retryCount", 10),
    RNR_RETRY("rnrRetry", 11),
    RQ_PSN("rqPsn", 12),
    MAX_RD_ATOMIC("maxRdAtomic", 13),
    ALTERNATE_PATH("alternatePath", 14),
    MIN_RNR_TIMER("minRnrTimer", 15),
    SQ_PSN("sqPsn", 16),
    MAX_DEST_RD_ATOMIC("maxDestRdAtomic", 17),
    PATH_MIGRATION_STATE("pathMigrationState", 18),
    CAPABILITIES("capabilities", 19),
    DEST_QP_NUM("destQpNum", 20),
    RATE_LIMIT("rateLimit", 25);

    private final String method;
    private final int bit;

    QueuePairAttribute(String method, int bit) {
        this.method = method;
        this.bit = bit;
    }

    /** Its bit of {@code enum ibv_qp_attr_mask}. */
    int mask() {
        return 1 << bit;
    }

    /** The method of {@link QueuePairTransition} that sets it. */
    @Override
    public String toString() {
        return method;
    }
}
