// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import dev.isthmus.internal.Filling;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;

/** How to set up a {@link Listener}. */
public final class ListenerConfig {

    final Filling filling = new Filling();
    private int backlog = ConnectionAddressing.MAX_BACKLOG;
    private int maxHandshakes; // 0: not set
    private Duration handshakeTimeout = Duration.ofSeconds(10);
    private boolean reuseAddress;
    private boolean addressFamilyOnly;
    private int typeOfService;
    private Function<CmEvent.ConnectRequest, Admission> admission = request -> Admission.accept();
    private final ConnectionSetup setup = new ConnectionSetup(filling);

    ListenerConfig() {}

    /**
     * Sets how many requests wait in the kernel until they are taken. Default: as many as the kernel allows, which is
     * 1,024 unless {@code /proc/sys/net/rdma_ucm/max_backlog} says otherwise.
     *
     * @param requests their number; further ones are lost, and repeated seconds later
     * @return this
     * @throws IllegalArgumentException if it is not positive
     */
    public ListenerConfig backlog(int requests) {
        filling.check();
        backlog = positive("backlog", requests);
        return this;
    }

    /**
     * Sets how many connections may be in their handshake, with an answer of the peer still to come. Default: 128, and
     * 1,024 in a {@link ConnectionGroup}, as many as the kernel delivers at a time.
     *
     * @param connections their number; further requests are rejected
     * @return this
     * @throws IllegalArgumentException if it is not positive
     */
    public ListenerConfig maxHandshakes(int connections) {
        filling.check();
        maxHandshakes = positive("maxHandshakes", connections);
        return this;
    }

    /**
     * Sets how long a peer may take to answer before its connection is dropped. Default: 10 seconds.
     *
     * @param timeout how long
     * @return this
     * @throws IllegalArgumentException if it is not positive
     */
    public ListenerConfig handshakeTimeout(Duration timeout) {
        filling.check();
        if (!timeout.isPositive()) {
            throw new IllegalArgumentException("a handshake of " + timeout);
        }
        handshakeTimeout = timeout;
        return this;
    }

    /**
     * Lets others listen at the same address and port, as {@link ConnectionId#reuseAddress} does. Default: no.
     *
     * @param on whether they may
     * @return this
     */
    public ListenerConfig reuseAddress(boolean on) {
        filling.check();
        reuseAddress = on;
        return this;
    }

    /**
     * Keeps an IPv6 wildcard from taking IPv4 connections, as {@link ConnectionId#addressFamilyOnly} does. Default: no.
     *
     * @param on whether it does
     * @return this
     */
    public ListenerConfig addressFamilyOnly(boolean on) {
        filling.check();
        addressFamilyOnly = on;
        return this;
    }

    /**
     * Sets the type of service of all connections, as {@link ConnectionId#typeOfService} does.
     *
     * @param value 0 to 255
     * @return this
     */
    public ListenerConfig typeOfService(int value) {
        filling.check();
        typeOfService = value;
        return this;
    }

    /**
     * Sets which peers to admit, and what each receives. Default: everybody, and nothing.
     *
     * @param decide decides on a request by its private data or the peer's address, which come from a stranger. If it
     *     throws, the request is rejected, and {@link Listener#accept} throws the same
     * @return this
     */
    public ListenerConfig admission(Function<CmEvent.ConnectRequest, Admission> decide) {
        filling.check();
        admission = Objects.requireNonNull(decide, "decide");
        return this;
    }

    /**
     * Sets how to set up the connections.
     *
     * @param configure sets it
     * @return this
     */
    public ListenerConfig connections(Consumer<ConnectionSetup> configure) {
        filling.check();
        configure.accept(setup);
        return this;
    }

    private static int positive(String name, int value) {
        if (value <= 0) {
            throw new IllegalArgumentException(name + " is not positive: " + value);
        }
        return value;
    }

    void applyOptions(ConnectionId id) {
        if (reuseAddress) {
            id.reuseAddress(true);
        }
        if (addressFamilyOnly) {
            id.addressFamilyOnly(true);
        }
        if (typeOfService != 0) {
            id.typeOfService(typeOfService);
        }
    }

    int backlog() {
        return backlog;
    }

    /** The number that was set, or else the given default. */
    int handshakesOr(int usual) {
        return maxHandshakes == 0 ? usual : maxHandshakes;
    }

    Duration handshakeTimeout() {
        return handshakeTimeout;
    }

    Function<CmEvent.ConnectRequest, Admission> admission() {
        return admission;
    }

    ConnectionSetup setup() {
        return setup;
    }
}
