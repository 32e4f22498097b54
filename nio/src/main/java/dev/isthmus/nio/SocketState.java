// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NoConnectionPendingException;
import java.nio.channels.NotYetConnectedException;

/**
 * The state of a socket, and all its transitions. Whether it is open is not part of it: the JDK's superclass decides
 * that, together with interrupts, and a closed socket still knows whether it was bound or shut.
 */
enum SocketState {
    UNBOUND,
    BOUND,
    CONNECTING,
    CONNECTED,
    INPUT_SHUT,
    OUTPUT_SHUT,
    /** Both input and output. */
    SHUT;

    /** What changes the state. */
    enum Event {
        BIND,
        CONNECT,
        ESTABLISH,
        SHUT_INPUT,
        SHUT_OUTPUT
    }

    /**
     * The state after an event.
     *
     * @throws IllegalStateException the subclass of it that {@link java.nio.channels} has for a misuse
     */
    SocketState on(Event event) {
        return switch (event) {
            case BIND ->
                switch (this) {
                    case UNBOUND -> BOUND;
                    case CONNECTING -> throw new ConnectionPendingException();
                    default -> throw new AlreadyBoundException();
                };
            case CONNECT ->
                switch (this) {
                    case UNBOUND, BOUND -> CONNECTING;
                    case CONNECTING -> throw new ConnectionPendingException();
                    default -> throw new AlreadyConnectedException();
                };
            case ESTABLISH ->
                switch (this) {
                    case UNBOUND, BOUND -> throw new NoConnectionPendingException();
                    case CONNECTING -> CONNECTED;
                    default -> this;
                };
            case SHUT_INPUT ->
                switch (this) {
                    case UNBOUND, BOUND, CONNECTING -> throw new NotYetConnectedException();
                    case CONNECTED, INPUT_SHUT -> INPUT_SHUT;
                    case OUTPUT_SHUT, SHUT -> SHUT;
                };
            case SHUT_OUTPUT ->
                switch (this) {
                    case UNBOUND, BOUND, CONNECTING -> throw new NotYetConnectedException();
                    case CONNECTED, OUTPUT_SHUT -> OUTPUT_SHUT;
                    case INPUT_SHUT, SHUT -> SHUT;
                };
        };
    }

    boolean isConnected() {
        return compareTo(CONNECTED) >= 0;
    }

    boolean isInputShut() {
        return this == INPUT_SHUT || this == SHUT;
    }

    boolean isOutputShut() {
        return this == OUTPUT_SHUT || this == SHUT;
    }
}
