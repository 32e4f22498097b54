// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

/** How memory will be used: {@code ucp_mem_advice_t}. */
public enum UcpMemoryAdvice {
    /** {@code UCP_MADV_NORMAL}: nothing in particular. */
    NORMAL(0),
    /** {@code UCP_MADV_WILLNEED}: soon; brings in pages that were registered without them. */
    WILL_NEED(1);

    private final int code;

    UcpMemoryAdvice(int code) {
        this.code = code;
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
