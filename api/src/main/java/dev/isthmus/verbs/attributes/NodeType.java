// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.attributes;

import dev.isthmus.internal.Codes;
import dev.isthmus.internal.verbs.Conversions;

/**
 * The kind of a device: {@code enum ibv_node_type}.
 */
public enum NodeType {
    /** A channel adapter: InfiniBand or RoCE. {@code IBV_NODE_CA}. */
    CA(1),
    /** A switch. {@code IBV_NODE_SWITCH}. */
    SWITCH(2),
    /** A router. {@code IBV_NODE_ROUTER}. */
    ROUTER(3),
    /** An iWARP adapter. {@code IBV_NODE_RNIC}. */
    RNIC(4),
    /** A Cisco usNIC. {@code IBV_NODE_USNIC}. */
    USNIC(5),
    /** A Cisco usNIC over UDP. {@code IBV_NODE_USNIC_UDP}. */
    USNIC_UDP(6),
    /** None of these. {@code IBV_NODE_UNSPECIFIED}. */
    UNSPECIFIED(7),
    /** A code that this version of Isthmus does not know. */
    UNKNOWN(-1);

    private static final Codes<NodeType> CODES = new Codes<>(values(), NodeType::code, UNKNOWN);

    private final int code;

    NodeType(int code) {
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
     * The constant of a code of {@code enum ibv_node_type}.
     *
     * @param code the C value
     * @return its constant, {@link #UNKNOWN} if there is none
     */
    public static NodeType of(int code) {
        return CODES.of(code);
    }

    /**
     * libibverbs' name for it: {@code ibv_node_type_str}.
     *
     * @return words such as {@code InfiniBand channel adapter}
     * @throws dev.isthmus.RdmaUnavailableException if libibverbs is not installed or native access is denied
     */
    public String description() {
        return Conversions.nodeType(code);
    }
}
