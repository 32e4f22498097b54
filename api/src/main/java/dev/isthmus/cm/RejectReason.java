// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

/**
 * Why a peer, or its kernel, rejected a connection: the status of a {@link CmEvent.Rejected}. On RoCE and InfiniBand it
 * is a reason of the InfiniBand specification; on iWARP it is a negative errno.
 */
public enum RejectReason {
    /** The peer has no queue pair left. */
    NO_QUEUE_PAIR(1),
    /** The peer's kernel has no room for more. */
    NO_RESOURCES(3),
    /** Nobody took the request in time. */
    TIMEOUT(4),
    /** The request asks for something unsupported. */
    UNSUPPORTED(5),
    /** An id of the exchange is unknown. */
    INVALID_COMMUNICATION_ID(6),
    /** Nobody listens at that port, in that port space. */
    NOBODY_LISTENS(8),
    /** The peer does not have the transport. */
    INVALID_TRANSPORT(9),
    /** The exchange is over already: its messages were too late, or too many. */
    STALE_CONNECTION(10),
    /** The GID is not one of the peer's. */
    INVALID_GID(12),
    /** The LID is not one of the peer's. */
    INVALID_LID(13),
    /** The service level is not one of the peer's. */
    INVALID_SERVICE_LEVEL(14),
    /** The traffic class is not one of the peer's. */
    INVALID_TRAFFIC_CLASS(15),
    /** The hop limit is too low. */
    INVALID_HOP_LIMIT(16),
    /** The packets are faster than the peer's port. */
    INVALID_PACKET_RATE(17),
    /** The MTU is not one of the peer's. */
    INVALID_MTU(26),
    /** The peer cannot serve as many READs and atomics. */
    INSUFFICIENT_RESPONDER_RESOURCES(27),
    /** The program rejected; its private data may say why. */
    CONSUMER_DEFINED(28),
    /** The peer does not accept the RNR retry count. */
    INVALID_RNR_RETRY(29),
    /** The same exchange arrived twice. */
    DUPLICATE_COMMUNICATION_ID(30),
    /** The peer speaks another version. */
    INVALID_CLASS_VERSION(31),
    /** The flow label is not one of the peer's. */
    INVALID_FLOW_LABEL(32),
    /** The peer does not know the vendor's options: see {@link ConnectionId#rejectEce}. */
    VENDOR_OPTION_NOT_SUPPORTED(35),
    /** iWARP: nobody listens there, or the program rejected. {@code -ECONNREFUSED}. */
    CONNECTION_REFUSED(-111),
    /** iWARP: the peer broke off, or rejected, which look the same there. {@code -ECONNRESET}. */
    CONNECTION_RESET(-104),
    /** A status that this version of Isthmus does not know. */
    UNKNOWN(0);

    private final int code;

    RejectReason(int code) {
        this.code = code;
    }

    /**
     * The status in the event.
     *
     * @return a reason of InfiniBand, or a negative errno; 0 for {@link #UNKNOWN}
     */
    public int code() {
        return code;
    }

    /**
     * The constant of a status.
     *
     * @param status the status of the event
     * @return its constant, {@link #UNKNOWN} if there is none
     */
    public static RejectReason of(int status) {
        for (RejectReason reason : values()) {
            if (reason.code == status) {
                return reason;
            }
        }
        return UNKNOWN;
    }
}
