// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.attributes;

import dev.isthmus.internal.Codes;
import java.util.Set;

/**
 * The support for on-demand paging in general: {@code enum ibv_odp_general_caps}.
 */
public enum OdpCapability {
    /** Regions whose pages are mapped when they are used. {@code IBV_ODP_SUPPORT}. */
    SUPPORT(1),
    /** A region of the whole address space. {@code IBV_ODP_SUPPORT_IMPLICIT}. */
    SUPPORT_IMPLICIT(1 << 1);

    private final int code;

    OdpCapability(int code) {
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
    static Set<OdpCapability> in(long flags) {
        return Codes.flags(OdpCapability.class, flags, OdpCapability::code);
    }
}
