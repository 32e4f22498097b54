// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.isthmus.bindings.ibverbs.rdma_cm_event;
import dev.isthmus.bindings.ibverbs.rdma_ud_param;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.verbs.QueuePairType;
import java.lang.foreign.MemorySegment;

/** Copies events before they are acknowledged: after that, their memory is gone, and perhaps their connection. */
final class CmEventReader {

    private CmEventReader() {}

    /** Copies an event, and notifies its connection; null if Isthmus does not have that connection. */
    static CmEvent read(EventChannel channel, MemorySegment event) {
        CmEventType type = CmEventType.of(rdma_cm_event.event(event));
        ConnectionId id =
                type == CmEventType.CONNECT_REQUEST ? requested(channel, event) : channel.find(rdma_cm_event.id(event));
        if (id == null) {
            return null;
        }
        CmEvent copy = copy(id, type, event);
        id.onEvent(copy);
        return copy;
    }

    private static ConnectionId requested(EventChannel channel, MemorySegment event) {
        ConnectionId listener = channel.find(rdma_cm_event.listen_id(event));
        return listener == null ? null : ConnectionId.requested(channel, rdma_cm_event.id(event), listener);
    }

    private static CmEvent copy(ConnectionId id, CmEventType type, MemorySegment event) {
        int status = rdma_cm_event.status(event);
        MemorySegment param = rdma_cm_event.param(event);
        return switch (type) {
            case ADDR_RESOLVED -> new CmEvent.AddressResolved(id);
            case ADDR_ERROR -> new CmEvent.AddressError(id, status);
            case ROUTE_RESOLVED -> new CmEvent.RouteResolved(id);
            case ROUTE_ERROR -> new CmEvent.RouteError(id, status);
            case CONNECT_REQUEST -> request(id, param);
            case CONNECT_RESPONSE -> new CmEvent.ConnectResponse(id, connection(param));
            case CONNECT_ERROR -> new CmEvent.ConnectError(id, status);
            case UNREACHABLE -> new CmEvent.Unreachable(id, status);
            case REJECTED -> new CmEvent.Rejected(id, status, connection(param).privateData());
            case ESTABLISHED ->
                isDatagram(id)
                        ? new CmEvent.DatagramEstablished(id, datagram(param))
                        : new CmEvent.Established(id, connection(param));
            case DISCONNECTED -> new CmEvent.Disconnected(id, status);
            case DEVICE_REMOVAL -> new CmEvent.DeviceRemoval(id);
            case MULTICAST_JOIN ->
                new CmEvent.MulticastJoined(
                        id, membership(id, param), DatagramParameters.read(ud(param), PrivateData.NONE));
            case MULTICAST_ERROR -> new CmEvent.MulticastError(id, membership(id, param), status);
            case ADDR_CHANGE -> new CmEvent.AddressChange(id);
            case TIMEWAIT_EXIT -> new CmEvent.TimewaitExit(id);
            case UNKNOWN -> new CmEvent.Unknown(id, rdma_cm_event.event(event), status);
        };
    }

    private static CmEvent request(ConnectionId id, MemorySegment param) {
        return isDatagram(id)
                ? new CmEvent.DatagramRequest(id, id.listener(), datagram(param).privateData())
                : new CmEvent.ConnectRequest(id, id.listener(), connection(param));
    }

    private static boolean isDatagram(ConnectionId id) {
        return id.portSpace().queuePairType() == QueuePairType.UD;
    }

    private static ConnectionParameters connection(MemorySegment param) {
        return ConnectionParameters.read(rdma_cm_event.param.conn(param));
    }

    private static MemorySegment ud(MemorySegment param) {
        return rdma_cm_event.param.ud(param);
    }

    private static DatagramParameters datagram(MemorySegment param) {
        MemorySegment ud = ud(param);
        return DatagramParameters.read(
                ud, privateData(rdma_ud_param.private_data(ud), rdma_ud_param.private_data_len(ud)));
    }

    /** In multicast events, this member is the argument of the join, not private data. */
    private static MulticastMembership membership(ConnectionId id, MemorySegment param) {
        return id.membership(rdma_ud_param.private_data(ud(param)).address());
    }

    static PrivateData privateData(MemorySegment pointer, byte length) {
        int bytes = Byte.toUnsignedInt(length);
        return pointer.address() == 0 || bytes == 0
                ? PrivateData.NONE
                : PrivateData.of(NativeCall.sized(pointer, bytes).toArray(JAVA_BYTE));
    }
}
