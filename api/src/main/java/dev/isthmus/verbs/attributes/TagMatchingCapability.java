// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.attributes;

import dev.isthmus.internal.Codes;
import java.util.Set;

/**
 * Where the device matches tags: {@code enum ibv_tm_cap_flags}.
 */
public enum TagMatchingCapability {
    /** On RC queue pairs. {@code IBV_TM_CAP_RC}. */
    RC(1);

    private final int code;

    TagMatchingCapability(int code) {
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

    /** The capabilities in {@code flags} that this version of Isthmus knows. */
    static Set<TagMatchingCapability> in(long flags) {
        return Codes.flags(TagMatchingCapability.class, flags, TagMatchingCapability::code);
    }
}
