// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.attributes;

import dev.isthmus.internal.Codes;
import java.util.Set;

/**
 * An operation that may access on-demand paged memory: {@code enum ibv_odp_transport_cap_bits}.
 */
public enum OdpOperation {
    /** Sends. {@code IBV_ODP_SUPPORT_SEND}. */
    SEND(1),
    /** Receives. {@code IBV_ODP_SUPPORT_RECV}. */
    RECV(1 << 1),
    /** RDMA WRITE. {@code IBV_ODP_SUPPORT_WRITE}. */
    WRITE(1 << 2),
    /** RDMA READ. {@code IBV_ODP_SUPPORT_READ}. */
    READ(1 << 3),
    /** Atomics. {@code IBV_ODP_SUPPORT_ATOMIC}. */
    ATOMIC(1 << 4),
    /** Receives from a shared receive queue. {@code IBV_ODP_SUPPORT_SRQ_RECV}. */
    SRQ_RECV(1 << 5),
    /** FLUSH; rdma-core 58. {@code IBV_ODP_SUPPORT_FLUSH}. */
    FLUSH(1 << 6),
    /** Atomic writes of eight bytes; rdma-core 58. {@code IBV_ODP_SUPPORT_ATOMIC_WRITE}. */
    ATOMIC_WRITE(1 << 7);

    private final int code;

    OdpOperation(int code) {
        this.code = code;
    }

    /**
     * The value of the C constant.
     *
     * @return its bit
     */
    public int code() {
        return code;
    }

    /** The operations in {@code flags} that this version of Isthmus knows. */
    static Set<OdpOperation> in(long flags) {
        return Codes.flags(OdpOperation.class, flags, OdpOperation::code);
    }
}
