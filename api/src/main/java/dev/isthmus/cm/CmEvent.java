// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

/**
 * Something that happened to a connection: {@code struct rdma_cm_event}. It is a value: the event has been copied and
 * acknowledged. Its class says what happened, and its components what came with it.
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
     * The connection that the event is about.
     *
     * @return the connection; for a request a new one, which the thread that takes the event owns and closes
     */
    ConnectionId id();

    /**
     * What happened.
     *
     * @return the type, UNKNOWN only for {@link Unknown}
     */
    CmEventType type();

    /**
     * The status from the kernel: 0 for success, the peer's reason for a rejection, otherwise mostly a negative errno.
     *
     * @return the status
     */
    default int status() {
        return 0;
    }

    /**
     * The address is resolved. The id now has a {@linkplain ConnectionId#device device}; call
     * {@link ConnectionId#resolveRoute} next.
     *
     * @param id the connection
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
     * @param id the connection
     * @param status a negative errno: ENODEV if no RDMA device has a route, ETIMEDOUT if nobody answers
     */
    record AddressError(ConnectionId id, int status) implements CmEvent {
        @Override
        public CmEventType type() {
            return CmEventType.ADDR_ERROR;
        }
    }

    /**
     * The route is resolved; {@link ConnectionId#connect} can follow.
     *
     * @param id the connection
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
     * @param id the connection
     * @param status a negative errno
     */
    record RouteError(ConnectionId id, int status) implements CmEvent {
        @Override
        public CmEventType type() {
            return CmEventType.ROUTE_ERROR;
        }
    }

    /**
     * A peer wants a connection. Answer by {@link ConnectionId#accept} or {@link ConnectionId#reject}; closing the
     * id rejects it, too. No event reports that the peer has gone before you accept it: calls on the id then fail
     * with EINVAL.
     *
     * @param id a new one, which the thread that takes the event closes
     * @param listener the id that listens
     * @param parameters what the peer asks for
     */
    record ConnectRequest(ConnectionId id, ConnectionId listener, ConnectionParameters parameters) implements CmEvent {
        @Override
        public CmEventType type() {
            return CmEventType.CONNECT_REQUEST;
        }
    }

    /**
     * A peer asks where to send datagrams. Answer as you answer a {@link ConnectRequest}.
     *
     * @param id a new one, which the thread that takes the event closes
     * @param listener the id that listens
     * @param privateData what the peer sent along
     */
    record DatagramRequest(ConnectionId id, ConnectionId listener, PrivateData privateData) implements CmEvent {
        @Override
        public CmEventType type() {
            return CmEventType.CONNECT_REQUEST;
        }
    }

    /**
     * The peer has accepted, and the program created the queue pair itself. Bring it to RTS by
     * {@link ConnectionId#transition}, then call {@link ConnectionId#establish}. Ids with a queue pair get
     * {@link Established} instead.
     *
     * @param id the connection
     * @param parameters what the peer grants
     */
    record ConnectResponse(ConnectionId id, ConnectionParameters parameters) implements CmEvent {
        @Override
        public CmEventType type() {
            return CmEventType.CONNECT_RESPONSE;
        }
    }

    /**
     * The connection failed on this side, for example because the queue pair could not go to RTS.
     *
     * @param id the connection
     * @param status -1 or a negative errno
     */
    record ConnectError(ConnectionId id, int status) implements CmEvent {
        @Override
        public CmEventType type() {
            return CmEventType.CONNECT_ERROR;
        }
    }

    /**
     * Nobody answered: the peer's host is gone or, for datagrams, nobody listens there.
     *
     * @param id the connection
     * @param status a negative errno; for datagrams, a positive status is that of the peer's answer
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
     * @param id the connection
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
         * @return its constant, UNKNOWN for a reason that Isthmus does not know
         */
        public RejectReason reason() {
            return RejectReason.of(status);
        }
    }

    /**
     * The connection is established: the queue pair is in RTS.
     *
     * @param id the connection
     * @param parameters what the peer grants; empty on the side that accepted
     */
    record Established(ConnectionId id, ConnectionParameters parameters) implements CmEvent {
        @Override
        public CmEventType type() {
            return CmEventType.ESTABLISHED;
        }
    }

    /**
     * The peer has said where to send datagrams.
     *
     * @param id the connection
     * @param parameters the path to the peer
     */
    record DatagramEstablished(ConnectionId id, DatagramParameters parameters) implements CmEvent {
        @Override
        public CmEventType type() {
            return CmEventType.ESTABLISHED;
        }
    }

    /**
     * The connection has ended: either side ended it, or the peer's process died. Its queue pair is in ERR, or on its
     * way there. {@link ConnectionId#disconnect} brings it there and answers the peer.
     *
     * @param id the connection
     * @param status 0, or a negative errno
     */
    record Disconnected(ConnectionId id, int status) implements CmEvent {
        @Override
        public CmEventType type() {
            return CmEventType.DISCONNECTED;
        }
    }

    /**
     * The device is being removed. The removal waits until everything on the device has been closed.
     *
     * @param id the connection
     */
    record DeviceRemoval(ConnectionId id) implements CmEvent {
        @Override
        public CmEventType type() {
            return CmEventType.DEVICE_REMOVAL;
        }
    }

    /**
     * The id, with its queue pair if it has one, has joined a multicast group.
     *
     * @param id the id
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
     * @param id the id
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
     * The address belongs to another network device now, for example because a bond failed over.
     *
     * @param id the connection
     */
    record AddressChange(ConnectionId id) implements CmEvent {
        @Override
        public CmEventType type() {
            return CmEventType.ADDR_CHANGE;
        }
    }

    /**
     * The network has forgotten a connection that ended. Its queue pair may connect again.
     *
     * @param id the connection
     */
    record TimewaitExit(ConnectionId id) implements CmEvent {
        @Override
        public CmEventType type() {
            return CmEventType.TIMEWAIT_EXIT;
        }
    }

    /**
     * An event of a type that this version of Isthmus does not know.
     *
     * @param id the connection
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
