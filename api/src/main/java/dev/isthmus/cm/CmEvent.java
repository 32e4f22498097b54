// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

/**
 * Something that happened to a connection: {@code struct rdma_cm_event}. A value: the event is copied, and acknowledged
 * already. Its class tells what happened and what came with it.
 *
 * <pre>{@code
 * switch (channel.await()) {
 *     case CmEvent.ConnectRequest(var id, var listener, var parameters) -> answer(id, parameters.privateData());
 *     case CmEvent.Established(var id, var parameters) -> start(id);
 *     case CmEvent.Disconnected(var id, int status) -> stop(id);
 *     case CmEvent other -> log(other);
 * }
 * }</pre>
 */
public sealed interface CmEvent {

    /**
     * Whom it happened to.
     *
     * @return the connection; for a request a new one, which whoever takes the event owns and closes
     */
    ConnectionId id();

    /**
     * What happened.
     *
     * @return the type, UNKNOWN only for {@link Unknown}
     */
    CmEventType type();

    /**
     * The status that the kernel gave: 0 where it went well, otherwise mostly a negative errno, and for a rejection the
     * peer's reason.
     *
     * @return the status
     */
    default int status() {
        return 0;
    }

    /**
     * The address is resolved: the id has a {@linkplain ConnectionId#device device}, and {@link
     * ConnectionId#resolveRoute} comes next.
     *
     * @param id whose
     */
    record AddressResolved(ConnectionId id) implements CmEvent {
        @Override
        public CmEventType type() {
            return CmEventType.ADDR_RESOLVED;
        }
    }

    /**
     * The address could not be resolved.
     *
     * @param id whose
     * @param status a negative errno: ENODEV where no RDMA device has the way, ETIMEDOUT where nobody answers
     */
    record AddressError(ConnectionId id, int status) implements CmEvent {
        @Override
        public CmEventType type() {
            return CmEventType.ADDR_ERROR;
        }
    }

    /**
     * The route is resolved: {@link ConnectionId#connect} can follow.
     *
     * @param id whose
     */
    record RouteResolved(ConnectionId id) implements CmEvent {
        @Override
        public CmEventType type() {
            return CmEventType.ROUTE_RESOLVED;
        }
    }

    /**
     * The route could not be resolved.
     *
     * @param id whose
     * @param status a negative errno
     */
    record RouteError(ConnectionId id, int status) implements CmEvent {
        @Override
        public CmEventType type() {
            return CmEventType.ROUTE_ERROR;
        }
    }

    /**
     * A peer wants a connection. Answer it by {@link ConnectionId#accept} or {@link ConnectionId#reject}; closing the id
     * rejects it, too. No event tells when the peer goes before it is accepted: calls on the id fail with EINVAL then.
     *
     * @param id a new one, which is the taker's to close
     * @param listener the one that listens
     * @param parameters what the peer asks for; their retry counts are for both sides to use
     */
    record ConnectRequest(ConnectionId id, ConnectionId listener, ConnectionParameters parameters) implements CmEvent {
        @Override
        public CmEventType type() {
            return CmEventType.CONNECT_REQUEST;
        }
    }

    /**
     * A peer wants to know where to send datagrams. Answer it as a {@link ConnectRequest}.
     *
     * @param id a new one, which is the taker's to close
     * @param listener the one that listens
     * @param privateData what the peer sent along
     */
    record DatagramRequest(ConnectionId id, ConnectionId listener, PrivateData privateData) implements CmEvent {
        @Override
        public CmEventType type() {
            return CmEventType.CONNECT_REQUEST;
        }
    }

    /**
     * The peer has accepted, and this side has a queue pair of its own making: bring it to RTS by {@link
     * ConnectionId#transition}, then call {@link ConnectionId#establish}. Ids with a queue pair see {@link Established}.
     *
     * @param id whose
     * @param parameters what the peer grants
     */
    record ConnectResponse(ConnectionId id, ConnectionParameters parameters) implements CmEvent {
        @Override
        public CmEventType type() {
            return CmEventType.CONNECT_RESPONSE;
        }
    }

    /**
     * The connection failed on this side, such as when the queue pair could not go to RTS.
     *
     * @param id whose
     * @param status -1 or a negative errno
     */
    record ConnectError(ConnectionId id, int status) implements CmEvent {
        @Override
        public CmEventType type() {
            return CmEventType.CONNECT_ERROR;
        }
    }

    /**
     * Nobody answered: the peer's host is gone, or, for datagrams, nobody listens there.
     *
     * @param id whose
     * @param status a negative errno; for datagrams the status of the peer's answer when it is positive
     */
    record Unreachable(ConnectionId id, int status) implements CmEvent {
        @Override
        public CmEventType type() {
            return CmEventType.UNREACHABLE;
        }
    }

    /**
     * The peer rejected the connection, or nobody listens there.
     *
     * @param id whose
     * @param status the reason: see {@link RejectReason#of}
     * @param privateData what the peer sent along
     */
    record Rejected(ConnectionId id, int status, PrivateData privateData) implements CmEvent {
        @Override
        public CmEventType type() {
            return CmEventType.REJECTED;
        }

        /**
         * The reason.
         *
         * @return its constant, UNKNOWN for one that this library does not know
         */
        public RejectReason reason() {
            return RejectReason.of(status);
        }
    }

    /**
     * The connection is there: the queue pair is in RTS.
     *
     * @param id whose
     * @param parameters what the peer grants; on the side that accepted nothing is in them
     */
    record Established(ConnectionId id, ConnectionParameters parameters) implements CmEvent {
        @Override
        public CmEventType type() {
            return CmEventType.ESTABLISHED;
        }
    }

    /**
     * The peer has told where to send datagrams.
     *
     * @param id whose
     * @param parameters the way to the peer
     */
    record DatagramEstablished(ConnectionId id, DatagramParameters parameters) implements CmEvent {
        @Override
        public CmEventType type() {
            return CmEventType.ESTABLISHED;
        }
    }

    /**
     * The connection has ended, by either side, or because the peer's process died. Its queue pair is or comes into ERR:
     * {@link ConnectionId#disconnect} brings it there and answers the peer.
     *
     * @param id whose
     * @param status 0, or a negative errno
     */
    record Disconnected(ConnectionId id, int status) implements CmEvent {
        @Override
        public CmEventType type() {
            return CmEventType.DISCONNECTED;
        }
    }

    /**
     * The device is being removed, which waits until all that is on it has been closed.
     *
     * @param id whose
     */
    record DeviceRemoval(ConnectionId id) implements CmEvent {
        @Override
        public CmEventType type() {
            return CmEventType.DEVICE_REMOVAL;
        }
    }

    /**
     * A multicast group is joined, and the id's queue pair, if it has one, is in it.
     *
     * @param id whose
     * @param membership what {@link ConnectionId#joinMulticast} returned
     * @param parameters how to send to the group
     */
    record MulticastJoined(ConnectionId id, MulticastMembership membership, DatagramParameters parameters)
            implements CmEvent {
        @Override
        public CmEventType type() {
            return CmEventType.MULTICAST_JOIN;
        }
    }

    /**
     * A multicast group could not be joined, or the membership is lost.
     *
     * @param id whose
     * @param membership what {@link ConnectionId#joinMulticast} returned
     * @param status a negative errno
     */
    record MulticastError(ConnectionId id, MulticastMembership membership, int status) implements CmEvent {
        @Override
        public CmEventType type() {
            return CmEventType.MULTICAST_ERROR;
        }
    }

    /**
     * The network device that the address belongs to is another one now, as when a bond fails over.
     *
     * @param id whose
     */
    record AddressChange(ConnectionId id) implements CmEvent {
        @Override
        public CmEventType type() {
            return CmEventType.ADDR_CHANGE;
        }
    }

    /**
     * A connection that has ended is forgotten by the network: its queue pair may be connected anew.
     *
     * @param id whose
     */
    record TimewaitExit(ConnectionId id) implements CmEvent {
        @Override
        public CmEventType type() {
            return CmEventType.TIMEWAIT_EXIT;
        }
    }

    /**
     * An event of a type that this version of the library does not know.
     *
     * @param id whose
     * @param code its type, a newer value of {@code enum rdma_cm_event_type}
     * @param status its status
     */
    record Unknown(ConnectionId id, int code, int status) implements CmEvent {
        @Override
        public CmEventType type() {
            return CmEventType.UNKNOWN;
        }
    }
}
