// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

/** How a memory window is bound: {@code enum ibv_mw_type}. */
public enum MemoryWindowType {
    /** By {@link MemoryWindow#tryBind}; the device chooses the key. {@code IBV_MW_TYPE_1}. */
    TYPE_1(1),
    /**
     * By {@link SendRequest#bind}, with a key that you choose; either side can invalidate it. {@code IBV_MW_TYPE_2}.
     */
    TYPE_2(2);

    private final int code;

    MemoryWindowType(int code) {
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
