// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.bindings.ibverbs.ibv_ece;
import dev.isthmus.bindings.ibverbs.ibv_qp_attr;
import dev.isthmus.bindings.ibverbs.ibv_qp_init_attr;
import dev.isthmus.bindings.ibverbs.ibv_qp_rate_limit_attr;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.NativeFunction;
import dev.isthmus.internal.verbs.ContextFunction;
import dev.isthmus.internal.verbs.ContextOps;
import dev.isthmus.internal.verbs.Libibverbs;
import dev.isthmus.internal.verbs.VerbsCall;
import java.lang.foreign.MemorySegment;

/**
 * The calls of a queue pair off its data path: writes their arguments, and explains their failures. It keeps no state.
 * The queue pair has checked the thread, and what its own state allows.
 */
final class QueuePairControl {

    /** {@code IBV_QP_STATE} to {@code IBV_QP_DEST_QPN}: all that can be queried. */
    private static final int QUERY_ALL = (1 << 21) - 1;

    private final Lifetime lifetime;
    private final MemorySegment handle;
    private final ContextOps ops;
    private final String name;

    /**
     * Controls an existing queue pair.
     *
     * @param handle the C object
     * @param name names it in messages
     */
    QueuePairControl(Lifetime lifetime, MemorySegment handle, ContextOps ops, String name) {
        this.lifetime = lifetime;
        this.handle = handle;
        this.ops = ops;
        this.name = name;
    }

    /** Calls {@code ibv_modify_qp}; returns the granted capacities, or null if none were requested. */
    QueuePairCapabilities modify(QueuePairTransition transition) {
        try (var call = new VerbsCall(lifetime).explain(errno -> modifyHelp(transition, errno))) {
            MemorySegment attributes = call.allocate(ibv_qp_attr.layout());
            int mask = transition.write(attributes);
            call.check(Libibverbs.MODIFY_QP, name + " to " + transition, handle, attributes, mask);
            return transition.sets(QueuePairAttribute.CAPABILITIES)
                    ? QueuePairCapabilities.read(ibv_qp_attr.cap(attributes))
                    : null;
        }
    }

    private static String modifyHelp(QueuePairTransition transition, int errno) {
        if (transition.sets(QueuePairAttribute.CAPABILITIES)) {
            return "few devices can resize a queue pair: compare with the device's attributes";
        }
        if (errno == Errno.EINVAL && transition.state() == QueuePairState.ERR) {
            return "the kernel may not take it from RESET to ERR; nothing is outstanding in RESET";
        }
        if (errno == Errno.EINVAL && transition.sets(QueuePairAttribute.ALTERNATE_PATH)) {
            return "the kernel takes alternate paths on InfiniBand only; compare other values with the device's";
        }
        return switch (errno) {
            case Errno.EINVAL ->
                "a value is out of the device's range, or the device has moved on to another state, or its send queue"
                        + " still drains: compare with query() and the attributes of the device and port";
            case Errno.ENODATA -> "no entry at that GID index";
            case 101, 110, 113 -> "no way to the peer's GID from the local one"; // ENETUNREACH, ETIMEDOUT, EHOSTUNREACH
            default -> "";
        };
    }

    /** Calls {@code ibv_query_qp}. */
    QueuePairAttributes query() {
        try (var call = new VerbsCall(lifetime)) {
            MemorySegment attributes = call.allocate(ibv_qp_attr.layout());
            MemorySegment init = call.allocate(ibv_qp_init_attr.layout());
            call.check(Libibverbs.QUERY_QP, name, handle, attributes, QUERY_ALL, init);
            return QueuePairAttributes.read(attributes);
        }
    }

    /** Calls {@code ibv_modify_qp_rate_limit}. */
    void limitRate(int kbps, int maxBurst, int typicalPacket) {
        if (kbps < 0 || maxBurst < 0 || typicalPacket < 0 || typicalPacket > 0xffff) {
            throw new IllegalArgumentException("a rate of " + kbps + " kbit/s, bursts of " + maxBurst
                    + " bytes, or packets of " + typicalPacket + " bytes: one is out of range");
        }
        try (var call = new VerbsCall(lifetime)) {
            MemorySegment limit = call.allocate(ibv_qp_rate_limit_attr.layout());
            ibv_qp_rate_limit_attr.rate_limit(limit, kbps);
            ibv_qp_rate_limit_attr.max_burst_sz(limit, maxBurst);
            ibv_qp_rate_limit_attr.typical_pkt_sz(limit, (short) typicalPacket);
            NativeFunction modify = ops.require(ContextFunction.MODIFY_QP_RATE_LIMIT);
            call.check(modify, name + ", " + kbps + " kbit/s", handle, limit);
        }
    }

    /** Calls {@code ibv_query_qp_data_in_order}. */
    boolean isDataInOrder(SendOpcode opcode) {
        if (opcode == SendOpcode.UNKNOWN) {
            throw new IllegalArgumentException("there is no such operation: " + opcode);
        }
        try (var call = new VerbsCall(lifetime)) {
            return call.integer(Libibverbs.QUERY_QP_DATA_IN_ORDER, handle, opcode.code(), 0) == 1;
        }
    }

    /** Calls {@code ibv_query_ece}. */
    ConnectionEstablishment ece() {
        try (var call = new VerbsCall(lifetime)) {
            MemorySegment ece = call.allocate(ibv_ece.layout());
            call.check(Libibverbs.QUERY_ECE, name, handle, ece);
            return ConnectionEstablishment.read(ece);
        }
    }

    /** Calls {@code ibv_set_ece}. */
    void ece(ConnectionEstablishment options) {
        try (var call = new VerbsCall(lifetime)) {
            MemorySegment ece = call.allocate(ibv_ece.layout());
            options.write(ece);
            call.check(Libibverbs.SET_ECE, name + ", " + options, handle, ece);
        }
    }
}
