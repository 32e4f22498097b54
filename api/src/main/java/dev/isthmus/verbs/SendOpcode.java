// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.internal.Codes;

/**
 * What a send request does: {@code enum ibv_wr_opcode}.
 */
public enum SendOpcode {
    /** Writes to the peer's memory; the peer's program does not notice. {@code IBV_WR_RDMA_WRITE}. */
    RDMA_WRITE(0),
    /** Writes to the peer's memory, and completes a receive there with the immediate value. {@code IBV_WR_RDMA_WRITE_WITH_IMM}. */
    RDMA_WRITE_WITH_IMM(1),
    /** Sends a message to a receive of the peer. {@code IBV_WR_SEND}. */
    SEND(2),
    /** Sends a message with an immediate value. {@code IBV_WR_SEND_WITH_IMM}. */
    SEND_WITH_IMM(3),
    /** Reads the peer's memory; the peer's program does not notice. {@code IBV_WR_RDMA_READ}. */
    RDMA_READ(4),
    /** Compares 8 bytes of the peer's memory, and replaces them if they are equal. {@code IBV_WR_ATOMIC_CMP_AND_SWP}. */
    ATOMIC_CMP_AND_SWP(5),
    /** Adds to 8 bytes of the peer's memory. {@code IBV_WR_ATOMIC_FETCH_AND_ADD}. */
    ATOMIC_FETCH_AND_ADD(6),
    /** Invalidates a key of this end. {@code IBV_WR_LOCAL_INV}. */
    LOCAL_INV(7),
    /** Binds a memory window. {@code IBV_WR_BIND_MW}. */
    BIND_MW(8),
    /** Sends a message, and invalidates a key of the peer. {@code IBV_WR_SEND_WITH_INV}. */
    SEND_WITH_INV(9),
    /** Sends a long TCP segment as several packets. {@code IBV_WR_TSO}. */
    TSO(10),
    /** A driver's own operation, which Isthmus does not post. {@code IBV_WR_DRIVER1}. */
    DRIVER1(11),
    /**
     * Waits until earlier writes have reached the peer's memory; only by a {@link SendBatch}. {@code IBV_WR_FLUSH} of
     * rdma-core 45.
     */
    FLUSH(14),
    /**
     * Writes 8 bytes to the peer's memory atomically; use a {@link SendBatch}, as few drivers post it otherwise.
     * {@code IBV_WR_ATOMIC_WRITE}.
     */
    ATOMIC_WRITE(15),
    /** A code that this version of Isthmus does not know. */
    UNKNOWN(-1);

    private static final Codes<SendOpcode> CODES = new Codes<>(values(), SendOpcode::code, UNKNOWN);

    private final int code;

    SendOpcode(int code) {
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
     * The constant of a code of {@code enum ibv_wr_opcode}.
     *
     * @param code the C value
     * @return its constant, {@link #UNKNOWN} if there is none
     */
    public static SendOpcode of(int code) {
        return CODES.of(code);
    }

    /** The bit of {@code enum ibv_qp_create_send_ops_flags}; 0 if there is none. */
    int batchBit() {
        return switch (this) {
            case FLUSH -> 1 << 11;
            case ATOMIC_WRITE -> 1 << 12;
            case DRIVER1, UNKNOWN -> 0;
            default -> 1 << code;
        };
    }
}
