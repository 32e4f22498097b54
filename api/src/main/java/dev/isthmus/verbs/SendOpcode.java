package dev.isthmus.verbs;

/**
 * What a send request does: {@code enum ibv_wr_opcode}.
 */
public enum SendOpcode {
    /** Writes to the peer's memory; the peer's program does not notice. {@code IBV_WR_RDMA_WRITE}. */
    RDMA_WRITE(0),
    /** Writes to the peer's memory, and completes a receive there with the immediate value. {@code IBV_WR_RDMA_WRITE_WITH_IMM}. */
    RDMA_WRITE_WITH_IMM(1),
    /** Sends a message to the receive that the peer has posted. {@code IBV_WR_SEND}. */
    SEND(2),
    /** Sends a message with an immediate value. {@code IBV_WR_SEND_WITH_IMM}. */
    SEND_WITH_IMM(3),
    /** Reads the peer's memory; the peer's program does not notice. {@code IBV_WR_RDMA_READ}. */
    RDMA_READ(4);

    private final int code;

    SendOpcode(int code) {
        this.code = code;
    }

    /**
     * The value of the C constant.
     *
     * @return its code
     */
    public int code() {
        return code;
    }
}
