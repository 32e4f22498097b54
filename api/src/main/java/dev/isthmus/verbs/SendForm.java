// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import dev.isthmus.internal.HotPath;
import java.util.EnumSet;
import java.util.Set;
import java.util.StringJoiner;

/**
 * What the unions of {@code struct ibv_send_wr} hold, and which operations may read them. An address handle shares its
 * place with a remote address, and drivers follow that pointer in any request on a UD queue pair. So a request has one
 * bit, its kind, which stands for operation and form, and is 0 while the operation lacks something. A queue pair has a
 * mask of the kinds that it takes.
 */
final class SendForm {

    static final int IMMEDIATE = 1;
    static final int RKEY = 1 << 1;
    static final int REMOTE = 1 << 2;
    static final int COMPARE_AND_SWAP = 1 << 3;
    static final int FETCH_AND_ADD = 1 << 4;
    static final int DATAGRAM = 1 << 5;
    static final int BIND = 1 << 6;
    static final int SEGMENTS = 1 << 7;
    static final int NOT_INLINE = 1 << 8;
    static final int IN_BOUNDS = 1 << 9;

    /** All members that share a place. */
    static final int IMMEDIATE_UNION = IMMEDIATE | RKEY;

    static final int ADDRESS_UNION = REMOTE | COMPARE_AND_SWAP | FETCH_AND_ADD | DATAGRAM;

    static final int OFFLOAD_UNION = BIND | SEGMENTS;

    private static final int NEVER = 1 << 31;

    /** From the bit of an operation to that of the same operation with an address handle. */
    private static final int DATAGRAM_SHIFT = 16;

    private static final int[] NEEDS = new int[DATAGRAM_SHIFT];

    static {
        for (int code = 0; code < NEEDS.length; code++) {
            NEEDS[code] = needs(SendOpcode.of(code));
        }
    }

    private SendForm() {}

    private static int needs(SendOpcode opcode) {
        return switch (opcode) {
            case SEND -> 0;
            case SEND_WITH_IMM -> IMMEDIATE;
            case SEND_WITH_INV -> RKEY;
            case RDMA_WRITE -> REMOTE | IN_BOUNDS;
            case RDMA_WRITE_WITH_IMM -> REMOTE | IN_BOUNDS | IMMEDIATE;
            case RDMA_READ -> REMOTE | IN_BOUNDS | NOT_INLINE;
            case ATOMIC_CMP_AND_SWP -> COMPARE_AND_SWAP | NOT_INLINE;
            case ATOMIC_FETCH_AND_ADD -> FETCH_AND_ADD | NOT_INLINE;
            case ATOMIC_WRITE -> REMOTE | IN_BOUNDS | NOT_INLINE;
            case LOCAL_INV -> RKEY | NOT_INLINE;
            case BIND_MW -> BIND | NOT_INLINE;
            case TSO -> SEGMENTS | NOT_INLINE;
            case FLUSH, DRIVER1, UNKNOWN -> NEVER;
        };
    }

    /** The bit of an operation, given what a request has; 0 if it lacks something. */
    @HotPath
    static int kind(int opcode, int has) {
        if ((NEEDS[opcode] & ~has) != 0) {
            return 0;
        }
        return 1 << ((has & DATAGRAM) != 0 ? opcode + DATAGRAM_SHIFT : opcode);
    }

    /** Whether a kind uses an address handle. */
    @HotPath
    static boolean isDatagram(int kind) {
        return kind >>> DATAGRAM_SHIFT != 0;
    }

    /** The kinds that queue pairs of a type accept: the table in ibv_post_send(3). */
    static int accepted(QueuePairType type) {
        return switch (type) {
            case UD -> kinds(operations(type)) << DATAGRAM_SHIFT;
            default -> kinds(operations(type));
        };
    }

    private static Set<SendOpcode> operations(QueuePairType type) {
        return switch (type) {
            case RC, XRC_SEND ->
                EnumSet.complementOf(
                        EnumSet.of(SendOpcode.TSO, SendOpcode.FLUSH, SendOpcode.DRIVER1, SendOpcode.UNKNOWN));
            case UC ->
                EnumSet.of(
                        SendOpcode.SEND,
                        SendOpcode.SEND_WITH_IMM,
                        SendOpcode.SEND_WITH_INV,
                        SendOpcode.RDMA_WRITE,
                        SendOpcode.RDMA_WRITE_WITH_IMM,
                        SendOpcode.LOCAL_INV,
                        SendOpcode.BIND_MW);
            case UD -> EnumSet.of(SendOpcode.SEND, SendOpcode.SEND_WITH_IMM, SendOpcode.TSO);
            case RAW_PACKET -> EnumSet.of(SendOpcode.SEND, SendOpcode.TSO);
            case XRC_RECV, DRIVER, UNKNOWN -> EnumSet.noneOf(SendOpcode.class);
        };
    }

    private static int kinds(Set<SendOpcode> operations) {
        int mask = 0;
        for (SendOpcode opcode : operations) {
            mask |= 1 << opcode.code();
        }
        return mask;
    }

    /** Why a queue pair does not accept a request. */
    static String refusal(QueuePairType type, SendOpcode opcode, int has) {
        if (!operations(type).contains(opcode)) {
            return type + " queue pairs do not do " + opcode + ", but " + operations(type);
        }
        int lacks = NEEDS[opcode.code()] & ~has;
        if ((lacks & NOT_INLINE) != 0) {
            return opcode + " cannot be inline: that is for SEND and RDMA_WRITE";
        }
        if (lacks == IN_BOUNDS) {
            return "the message goes beyond the end of the peer's memory that remote(memory, offset) named";
        }
        if (type == QueuePairType.UD && (has & DATAGRAM) == 0) {
            return "a datagram needs a destination, by to(addressHandle, qpNum, qkey), set after all else that says"
                    + " where to";
        }
        if (type != QueuePairType.UD && (has & DATAGRAM) != 0 && lacks == 0) {
            return "the request has a destination by to(...), and " + type + " queue pairs send to their peer only:"
                    + " prepare another request";
        }
        var missing = new StringJoiner(" and ", opcode + " also needs ", ": the last call that set its place counts");
        name(missing, lacks, REMOTE, "remote(memory, offset) or remote(address, rkey)");
        name(missing, lacks, COMPARE_AND_SWAP, "compareAndSwap(...)");
        name(missing, lacks, FETCH_AND_ADD, "fetchAndAdd(...)");
        name(missing, lacks, BIND, "a memory window to bind");
        name(missing, lacks, SEGMENTS, "segments(header, mss)");
        name(missing, lacks, IMMEDIATE, "immediate(value)");
        name(missing, lacks, RKEY, "invalidate(rkey)");
        return missing.toString();
    }

    private static void name(StringJoiner names, int lacks, int bit, String method) {
        if ((lacks & bit) != 0) {
            names.add(method);
        }
    }
}
