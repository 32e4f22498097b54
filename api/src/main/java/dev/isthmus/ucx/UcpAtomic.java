// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.HotPath;

/** What an atomic operation does to a number in a peer's memory: {@code ucp_atomic_op_t}. */
public enum UcpAtomic {
    /** {@code UCP_ATOMIC_OP_ADD}: adds, and wraps around. */
    ADD(0),
    /** {@code UCP_ATOMIC_OP_SWAP}: replaces it. Only together with fetching its former value. */
    SWAP(1),
    /** {@code UCP_ATOMIC_OP_AND}: keeps the bits that both numbers have. */
    AND(3),
    /** {@code UCP_ATOMIC_OP_OR}: sets the bits that are set in the operand. */
    OR(4),
    /** {@code UCP_ATOMIC_OP_XOR}: flips the bits that are set in the operand. */
    XOR(5);

    /** {@code UCP_ATOMIC_OP_CSWAP}, which has one operand more than the others. */
    static final int COMPARE_AND_SWAP = 2;

    private final int code;

    UcpAtomic(int code) {
        this.code = code;
    }

    @HotPath
    boolean isBitwise() {
        return code > COMPARE_AND_SWAP;
    }

    /**
     * The C constant's value.
     *
     * @return the value
     */
    public int code() {
        return code;
    }
}
