// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import dev.isthmus.internal.Filling;
import dev.isthmus.verbs.QueuePairConfig;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * How to set up a {@link Connection}: its queues, what it asks of the peer, and what to do before it is established.
 */
public final class ConnectionSetup {

    final Filling filling;
    private Consumer<QueuePairConfig> queuePair = config -> {};
    private Consumer<ConnectionConfig> parameters = config -> {};
    private Consumer<Connection> prepare = connection -> {};
    private int completions = 256;
    private int typeOfService;
    private int ackTimeout;
    private InetSocketAddress from;

    ConnectionSetup(Filling filling) {
        this.filling = filling;
    }

    /**
     * Sets the capacities of the queue pair. Default: those of {@link QueuePairConfig}.
     *
     * @param configure sets them
     * @return this
     */
    public ConnectionSetup queuePair(Consumer<QueuePairConfig> configure) {
        filling.check();
        queuePair = Objects.requireNonNull(configure, "configure");
        return this;
    }

    /**
     * Sets the room for completions: as many as can be outstanding on the queue pair. Default: 256.
     *
     * @param entries their number
     * @return this
     * @throws IllegalArgumentException if it is not positive
     */
    public ConnectionSetup completions(int entries) {
        filling.check();
        if (entries <= 0) {
            throw new IllegalArgumentException("room for " + entries + " completions");
        }
        completions = entries;
        return this;
    }

    /**
     * Sets private data, depths and retries. Default: none, as many as both devices support, and 6 retries.
     *
     * @param configure sets them
     * @return this
     */
    public ConnectionSetup parameters(Consumer<ConnectionConfig> configure) {
        filling.check();
        parameters = Objects.requireNonNull(configure, "configure");
        return this;
    }

    /**
     * Sets what to do once the queue pair exists, while the peer cannot send yet. Allocate memory and post receives
     * here. Pass what the action opens to {@link Connection#closeWith}, or use {@link Connection#allocate}.
     *
     * @param action gets the connection, which is not connected yet
     * @return this
     */
    public ConnectionSetup prepare(Consumer<Connection> action) {
        filling.check();
        prepare = Objects.requireNonNull(action, "action");
        return this;
    }

    /**
     * Sets the type of service, as {@link ConnectionId#typeOfService} does. The accepting side uses the listener's.
     *
     * @param value 0 to 255
     * @return this
     */
    public ConnectionSetup typeOfService(int value) {
        filling.check();
        typeOfService = value;
        return this;
    }

    /**
     * Sets how long the queue pair waits for an acknowledgement, as {@link ConnectionId#ackTimeout} does.
     *
     * @param code 0 to 31
     * @return this
     */
    public ConnectionSetup ackTimeout(int code) {
        filling.check();
        ackTimeout = code;
        return this;
    }

    /**
     * Sets the local address to connect from, and the port unless it is 0. Only {@link Connector} uses it. Default: the
     * kernel chooses.
     *
     * @param address the address
     * @return this
     */
    public ConnectionSetup from(InetSocketAddress address) {
        filling.check();
        from = Objects.requireNonNull(address, "address");
        return this;
    }

    void applyOptions(ConnectionId id) {
        if (typeOfService != 0) {
            id.typeOfService(typeOfService);
        }
        if (ackTimeout != 0) {
            id.ackTimeout(ackTimeout);
        }
    }

    Consumer<QueuePairConfig> queuePair() {
        return queuePair;
    }

    int completions() {
        return completions;
    }

    /** What to ask of the peer. The maximum of 7 retries means forever on some versions of Soft-RoCE. */
    Consumer<ConnectionConfig> parameters() {
        Consumer<ConnectionConfig> usual = config -> config.retryCount(6);
        return usual.andThen(parameters);
    }

    Consumer<Connection> prepare() {
        return prepare;
    }

    /** The local address; null lets the kernel choose. */
    InetSocketAddress from() {
        return from;
    }
}
