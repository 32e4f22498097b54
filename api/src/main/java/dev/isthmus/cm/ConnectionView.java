// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import dev.isthmus.bindings.ibverbs.rdma_addr;
import dev.isthmus.bindings.ibverbs.rdma_cm_id;
import dev.isthmus.bindings.ibverbs.rdma_route;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.SocketAddresses;
import dev.isthmus.internal.cm.CmCall;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.QueuePairType;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;

/** The part of {@link ConnectionId} that describes it: its device, its addresses, and the objects that belong to it. */
abstract sealed class ConnectionView permits ConnectionAddressing {

    final ConnectionCalls calls;

    private final PortSpace space;
    private final QueuePairType queuePairType;
    private final ConnectionId listener; // null unless it came with a request

    private volatile EventChannel channel;
    private volatile Lifetime onChannel; // keeps the channel open, until the id moves to another one
    private volatile Object attachment; // the program's own; null if there is none

    ConnectionView(
            EventChannel channel, Lifetime onChannel, PortSpace space, ConnectionId listener, MemorySegment handle) {
        this.channel = channel;
        this.onChannel = onChannel;
        this.space = space;
        this.listener = listener;
        this.queuePairType = QueuePairType.of(rdma_cm_id.qp_type(NativeCall.sized(handle, rdma_cm_id.sizeof())));
        this.calls = new ConnectionCalls(
                space + ", 0x" + Long.toHexString(handle.address()),
                handle,
                listener == null ? Phase.CREATED : Phase.REQUESTED);
    }

    /** Sets the channel of its events. The caller excludes events of both channels. */
    void channel(EventChannel to) {
        channel = to;
    }

    /** Releases its channel, and holds another one. */
    void holdChannel(Lifetime onNew) {
        releaseChannel();
        onChannel = onNew;
    }

    /** Releases its channel, which may be closed then. */
    void releaseChannel() {
        onChannel.close(() -> {});
    }

    /**
     * The device to which it is bound: {@code verbs}. Create everything that goes with its queue pair from this device.
     * librdmacm shares the device among all connections and keeps it open, so closing it does nothing.
     *
     * @return the open device; null before the address is resolved, or while this listens on all devices
     * @throws IllegalStateException if this is closed
     */
    public DeviceContext device() {
        return calls.device();
    }

    /**
     * The port of the device to which it is bound.
     *
     * @return its number from 1; 0 if this has no device
     * @throws IllegalStateException if this is closed
     */
    public int devicePort() {
        try (var _ = new CmCall(calls.lifetime())) {
            return Byte.toUnsignedInt(rdma_cm_id.port_num(calls.handle()));
        }
    }

    /**
     * The local address and port: {@code rdma_get_local_addr}, {@code rdma_get_src_port}.
     *
     * @return the address; null before there is one
     * @throws IllegalStateException if this is closed
     */
    public InetSocketAddress localAddress() {
        return address(rdma_addr.src_storage(rdma_route.addr(rdma_cm_id.route(calls.handle()))));
    }

    /**
     * The peer's address and port: {@code rdma_get_peer_addr}, {@code rdma_get_dst_port}.
     *
     * @return the address; null before there is one
     * @throws IllegalStateException if this is closed
     */
    public InetSocketAddress peerAddress() {
        return address(rdma_addr.dst_storage(rdma_route.addr(rdma_cm_id.route(calls.handle()))));
    }

    private InetSocketAddress address(MemorySegment storage) {
        var read = new InetSocketAddress[1];
        try (var _ = new CmCall(calls.lifetime())) {
            channel.exclusively(() -> read[0] = SocketAddresses.read(storage)); // excluded, as an event may write it
        }
        return read[0];
    }

    /**
     * Its port space.
     *
     * @return the space in which it, or its listener, was created
     */
    public PortSpace portSpace() {
        return space;
    }

    /**
     * The type of queue pair that it can have.
     *
     * @return that of the port space, unless it, or its listener, was created with another type
     */
    public QueuePairType queuePairType() {
        return queuePairType;
    }

    /**
     * The channel on which its events arrive.
     *
     * @return the channel
     */
    public EventChannel channel() {
        return channel;
    }

    /**
     * The id that was listening when this id's request arrived.
     *
     * @return the listener, which may be closed; null for an id that the program created
     */
    public ConnectionId listener() {
        return listener;
    }

    /**
     * Its queue pair.
     *
     * @return the queue pair; null if it has none, or it is closed
     */
    public QueuePair queuePair() {
        return calls.queuePair();
    }

    /**
     * Keeps an object of the program's, to have it at hand when an event arrives: the {@code context} of C.
     *
     * @param object the object; null for none
     */
    public void attach(Object object) {
        attachment = object;
    }

    /**
     * What the program has attached.
     *
     * @return the object; null if there is none, as with a new request
     */
    public Object attachment() {
        return attachment;
    }

    /** The class, the port space, and its number. */
    @Override
    public String toString() {
        return calls.toString();
    }
}
