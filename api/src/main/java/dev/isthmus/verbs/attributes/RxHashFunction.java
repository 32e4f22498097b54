// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.attributes;

import dev.isthmus.internal.Codes;
import java.util.Set;

/**
 * How packets are spread over receive queues: {@code enum ibv_rx_hash_function_flags}.
 */
public enum RxHashFunction {
    /** The Toeplitz hash. {@code IBV_RX_HASH_FUNC_TOEPLITZ}. */
    TOEPLITZ(1);

    private final int code;

    RxHashFunction(int code) {
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

    /** The functions in {@code flags} that this version of Isthmus knows. */
    static Set<RxHashFunction> in(long flags) {
        return Codes.flags(RxHashFunction.class, flags, RxHashFunction::code);
    }
}
