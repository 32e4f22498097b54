// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.isthmus.CmException;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.cm.CmErrors;
import dev.isthmus.internal.cm.CmSocketAddresses;
import dev.isthmus.internal.cm.Librdmacm;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Consumer;

/** The part of {@link ConnectionId} that precedes any connection: its options, its address, the route to the peer. */
abstract sealed class ConnectionAddressing extends ConnectionView permits ManualConnection {

    /** The backlog that the kernel takes for the largest one: see ucma_listen in drivers/infiniband/core/ucma.c. */
    static final int MAX_BACKLOG = 0;

    private static final int OPTION_LEVEL_ID = 0; // RDMA_OPTION_ID
    private static final int OPTION_TOS = 0; // RDMA_OPTION_ID_TOS, and so on
    private static final int OPTION_REUSE_ADDRESS = 1;
    private static final int OPTION_AF_ONLY = 2;
    private static final int OPTION_ACK_TIMEOUT = 3;
    private static final int OPTION_LEVEL_IB = 1; // RDMA_OPTION_IB
    private static final int OPTION_PATH = 1; // RDMA_OPTION_IB_PATH

    ConnectionAddressing(
            EventChannel channel, Lifetime onChannel, PortSpace space, ConnectionId listener, MemorySegment handle) {
        super(channel, onChannel, space, listener, handle);
    }

    /**
     * Sets the type of service, which becomes the traffic class of packets: {@code RDMA_OPTION_ID_TOS}. Call it before
     * the address is resolved.
     *
     * @param value DSCP and ECN, 0 to 255
     * @throws IllegalArgumentException if it is out of range
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.CmException if the call fails
     */
    public void typeOfService(int value) {
        option(OPTION_TOS, "type of service", value, 255, 1);
    }

    /**
     * Lets others use the same address and port: {@code RDMA_OPTION_ID_REUSEADDR}. Call it before {@link #bind}, on all
     * of them.
     *
     * @param on whether they may
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.CmException if the call fails
     */
    public void reuseAddress(boolean on) {
        option(OPTION_REUSE_ADDRESS, "reuse address", on ? 1 : 0, 1, Integer.BYTES);
    }

    /**
     * Keeps an IPv6 wildcard from taking IPv4 connections: {@code RDMA_OPTION_ID_AFONLY}. Call it before {@link #bind}.
     *
     * @param on whether it does
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.CmException if the call fails
     */
    public void addressFamilyOnly(boolean on) {
        option(OPTION_AF_ONLY, "address family only", on ? 1 : 0, 1, Integer.BYTES);
    }

    /**
     * Sets how long the queue pair waits for an acknowledgement before it sends again:
     * {@code RDMA_OPTION_ID_ACK_TIMEOUT}. Call it before {@link ConnectionId#connect} or {@link ConnectionId#accept}.
     * Only for RC.
     *
     * @param code 4.096 us * 2^code: 14 is 67 ms; 0 lets the kernel choose
     * @throws IllegalArgumentException if it is not between 0 and 31
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.CmException if the call fails, for example in a datagram port space
     */
    public void ackTimeout(int code) {
        option(OPTION_ACK_TIMEOUT, "ACK timeout", code, 31, 1);
    }

    private void option(int option, String name, int value, int max, int bytes) {
        if (value < 0 || value > max) {
            throw new IllegalArgumentException(name + " " + value + " is not between 0 and " + max);
        }
        calls.invoke(Librdmacm.SET_OPTION, name + " " + value, call -> {
            MemorySegment memory = call.allocateInt();
            if (bytes == 1) {
                memory.set(JAVA_BYTE, 0, (byte) value);
            } else {
                memory.set(JAVA_INT, 0, value);
            }
            return new Object[] {calls.handle(), OPTION_LEVEL_ID, option, memory, (long) bytes};
        });
    }

    /**
     * Binds to a local address, and to a port if the address has one: {@code rdma_bind_addr}. With port 0 the kernel
     * chooses. Blocks for a system call.
     *
     * @param address the address; the wildcard is all devices
     * @throws IllegalArgumentException if it is not resolved, or link-local without a scope
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.CmException with ADDRESS_IN_USE if the port is in use, with NO_DEVICE if no RDMA device has
     *     the address
     */
    public void bind(InetSocketAddress address) {
        callWithAddress(
                address,
                address.toString(),
                what -> calls.invoke(Librdmacm.BIND_ADDR, what, call ->
                        new Object[] {calls.handle(), CmSocketAddresses.write(call, address)}));
        calls.setPhase(Phase.BOUND);
    }

    /** Runs a call that takes an address; null means one that is not an IP address, or is in use already. */
    private void callWithAddress(InetSocketAddress address, String what, Consumer<String> call) {
        try {
            call.accept(what);
        } catch (CmException e) {
            throw CmErrors.ofBind(e, this + ", " + what, address == null ? null : address.getAddress());
        }
    }

    /**
     * Begins to resolve a peer's address: {@code rdma_resolve_addr}. {@link CmEvent.AddressResolved} or
     * {@link CmEvent.AddressError} reports the result.
     *
     * <p>The kernel can miss the answer of a very near host, and looks again only when the time is over (Linux 6.1).
     * Several short tries find it sooner. After an error you can call this again.
     *
     * @param to the peer
     * @param timeout how long it may take: 1 ms to 24 days
     * @throws IllegalArgumentException if the address is not resolved or link-local without a scope, or the timeout out
     *     of range
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.CmException with NO_DEVICE if no RDMA device has a route there
     */
    public void resolveAddress(InetSocketAddress to, Duration timeout) {
        resolveAddress(null, to, timeout);
    }

    /**
     * Begins to resolve a peer's address, from a local one: {@code rdma_resolve_addr}.
     *
     * @param from the local address, which decides the device, and the port unless it is 0; null lets the kernel choose
     * @param to the peer
     * @param timeout how long it may take: 1 ms to 24 days
     * @throws IllegalArgumentException if an address is not resolved or link-local without a scope, or the timeout out
     *     of range
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.CmException with NO_DEVICE if no RDMA device has a route there, with ADDRESS_IN_USE if the
     *     local port is in use
     */
    public void resolveAddress(InetSocketAddress from, InetSocketAddress to, Duration timeout) {
        int millis = millis(timeout);
        callWithAddress(
                from,
                (from == null ? "" : from + " ") + "to " + to,
                what -> calls.invoke(Librdmacm.RESOLVE_ADDR, what, Phase.RESOLVING_ADDRESS, call -> {
                    MemorySegment source = from == null ? MemorySegment.NULL : CmSocketAddresses.write(call, from);
                    return new Object[] {calls.handle(), source, CmSocketAddresses.write(call, to), millis};
                }));
    }

    /**
     * Binds to a local address of InfiniBand: {@code rdma_bind_addr}. Blocks for a system call.
     *
     * @param address the address
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.CmException with NO_DEVICE if no port has the address, as on RoCE and iWARP; with
     *     ADDRESS_IN_USE if it is in use
     */
    public void bind(IbAddress address) {
        callWithAddress(
                null,
                address.toString(),
                what -> calls.invoke(
                        Librdmacm.BIND_ADDR, what, call -> new Object[] {calls.handle(), address.write(call)}));
        calls.setPhase(Phase.BOUND);
    }

    /**
     * Begins to resolve a peer's address of InfiniBand, like {@link #resolveAddress(InetSocketAddress,
     * InetSocketAddress, Duration)}: {@code rdma_resolve_addr}.
     *
     * @param from the local address; null lets the kernel choose
     * @param to the peer
     * @param timeout how long it may take: 1 ms to 24 days
     * @throws IllegalArgumentException if the timeout is out of range
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.CmException with NO_DEVICE if no port has a route there, as on iWARP
     */
    public void resolveAddress(IbAddress from, IbAddress to, Duration timeout) {
        int millis = millis(timeout);
        String what = (from == null ? "" : from + " ") + "to " + to;
        calls.invoke(Librdmacm.RESOLVE_ADDR, what, Phase.RESOLVING_ADDRESS, call -> {
            MemorySegment source = from == null ? MemorySegment.NULL : from.write(call);
            return new Object[] {calls.handle(), source, to.write(call), millis};
        });
    }

    /**
     * Sets the route to the peer, instead of {@link #resolveRoute}: {@code RDMA_OPTION_IB_PATH}.
     * {@link CmEvent.RouteResolved} confirms it.
     *
     * @param path the path; on RoCE the kernel adds the Ethernet part
     * @throws IllegalStateException if this is closed, or the address is not resolved
     * @throws dev.isthmus.CmException if the call fails
     */
    public void path(PathRecord path) {
        calls.requireDevice("path");
        calls.invoke(Librdmacm.SET_OPTION, path.toString(), Phase.RESOLVING_ROUTE, call -> {
            MemorySegment data = path.write(call);
            return new Object[] {calls.handle(), OPTION_LEVEL_IB, OPTION_PATH, data, data.byteSize()};
        });
    }

    /**
     * Begins to resolve the route to the peer: {@code rdma_resolve_route}. {@link CmEvent.RouteResolved} or
     * {@link CmEvent.RouteError} reports the result.
     *
     * @param timeout how long it may take: 1 ms to 24 days
     * @throws IllegalArgumentException if the timeout is out of range
     * @throws IllegalStateException if this is closed, or the address is not resolved
     * @throws dev.isthmus.CmException if the call fails
     */
    public void resolveRoute(Duration timeout) {
        int millis = millis(timeout);
        calls.requireDevice("resolveRoute");
        calls.invoke(Librdmacm.RESOLVE_ROUTE, millis + " ms", Phase.RESOLVING_ROUTE, call ->
                new Object[] {calls.handle(), millis});
    }

    private static int millis(Duration timeout) {
        if (timeout.compareTo(Duration.ofMillis(1)) < 0
                || timeout.compareTo(Duration.ofMillis(Integer.MAX_VALUE)) > 0) {
            throw new IllegalArgumentException("a timeout of " + timeout + " is not between 1 ms and 24 days");
        }
        return Math.toIntExact(timeout.toMillis());
    }

    /**
     * Listens for connections: {@code rdma_listen}. Each arrives as a {@link CmEvent.ConnectRequest} or
     * {@link CmEvent.DatagramRequest}. As many wait in the kernel as it allows: 1,024, unless
     * {@code /proc/sys/net/rdma_ucm/max_backlog} says otherwise.
     *
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.CmException with ADDRESS_IN_USE if another socket listens there
     */
    public void listen() {
        listenFor(MAX_BACKLOG);
    }

    /**
     * Listens for connections as {@link #listen()} does, with fewer of them waiting.
     *
     * @param backlog how many requests wait in the kernel until they are taken. Further ones are lost on the way; the
     *     peer sends them again seconds later
     * @throws IllegalArgumentException if the backlog is not positive
     * @throws IllegalStateException if this is closed
     * @throws dev.isthmus.CmException with ADDRESS_IN_USE if another socket listens there
     */
    public void listen(int backlog) {
        if (backlog <= 0) {
            throw new IllegalArgumentException("the backlog is not positive: " + backlog);
        }
        listenFor(backlog);
    }

    /** Listens with a backlog, or {@link #MAX_BACKLOG}. */
    final void listenFor(int backlog) {
        callWithAddress(
                null,
                "backlog " + backlog,
                what -> calls.exclusively(() -> {
                    calls.invoke(Librdmacm.LISTEN, what, call -> new Object[] {calls.handle(), backlog});
                    calls.setPhase(Phase.LISTENING);
                }));
    }
}
