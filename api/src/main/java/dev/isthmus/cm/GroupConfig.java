// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import dev.isthmus.internal.Filling;
import dev.isthmus.verbs.QueuePairConfig;
import java.util.function.Consumer;

/** How to set up a {@link ConnectionGroup} and its members. */
public final class GroupConfig {

    final Filling filling = new Filling();
    private final ConnectionSetup setup = new ConnectionSetup(filling);
    private int receives = 256;

    GroupConfig() {
        setup.completions(1024);
    }

    /**
     * Sets how many receives can be posted at a time for all members together, each for one message. Default: 256.
     *
     * @param requests their number; the device may allow fewer
     * @return this
     * @throws IllegalArgumentException if it is not positive
     */
    public GroupConfig receives(int requests) {
        filling.check();
        if (requests <= 0) {
            throw new IllegalArgumentException("room for " + requests + " receives");
        }
        receives = requests;
        return this;
    }

    /**
     * Sets the room for completions: as many as sends and receives of all members can be outstanding. Default: 1,024.
     *
     * @param entries their number; the device may allow fewer
     * @return this
     * @throws IllegalArgumentException if it is not positive
     */
    public GroupConfig completions(int entries) {
        setup.completions(entries);
        return this;
    }

    /**
     * Sets the capacities of the members' send queues. Default: those of {@link QueuePairConfig}.
     *
     * @param configure sets them
     * @return this
     */
    public GroupConfig queuePair(Consumer<QueuePairConfig> configure) {
        setup.queuePair(configure);
        return this;
    }

    /**
     * Sets private data, depths and retries. Default: none, as many as both devices support, and 6 retries.
     *
     * @param configure sets them
     * @return this
     */
    public GroupConfig parameters(Consumer<ConnectionConfig> configure) {
        setup.parameters(configure);
        return this;
    }

    /**
     * Sets the type of service of all connections, as {@link ConnectionId#typeOfService} does.
     *
     * @param value 0 to 255
     * @return this
     */
    public GroupConfig typeOfService(int value) {
        setup.typeOfService(value);
        return this;
    }

    /**
     * Sets how long queue pairs wait for an acknowledgement, as {@link ConnectionId#ackTimeout} does.
     *
     * @param code 0 to 31
     * @return this
     */
    public GroupConfig ackTimeout(int code) {
        setup.ackTimeout(code);
        return this;
    }

    int receives() {
        return receives;
    }

    ConnectionSetup setup() {
        return setup;
    }
}
