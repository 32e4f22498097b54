// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import java.io.IOException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;

/** Turns exceptions of channels into those that users of sockets expect. */
final class SocketErrors {

    private SocketErrors() {}

    /** An action on a channel. */
    interface ChannelAction<T> {
        T run() throws IOException;
    }

    /** Acts on a channel with a socket's exceptions. */
    static <T> T translated(ChannelAction<T> action) throws IOException {
        try {
            return action.run();
        } catch (IOException e) {
            throw of(e);
        } catch (IllegalStateException | IllegalArgumentException e) {
            throw of(e);
        }
    }

    /** Acts on options, for which a socket may only throw a SocketException. */
    static <T> T ofOption(ChannelAction<T> action) throws SocketException {
        try {
            return translated(action);
        } catch (SocketException e) {
            throw e;
        } catch (IOException e) {
            throw because(e.getMessage(), e);
        }
    }

    private static IOException of(IOException e) {
        boolean isClosed = e instanceof ClosedChannelException && !(e instanceof ClosedByInterruptException);
        return isClosed ? because("Socket is closed", e) : e;
    }

    private static SocketException of(RuntimeException e) {
        return switch (e) {
            case NotYetConnectedException it -> because("Socket is not connected", it);
            case AlreadyConnectedException it -> because("Already connected", it);
            case ConnectionPendingException it -> because("Connection pending", it);
            case NotYetBoundException it -> because("Socket is not bound yet", it);
            case AlreadyBoundException it -> because("Already bound", it);
            case UnresolvedAddressException it -> because("Unresolved address", it);
            case UnsupportedAddressTypeException it -> because("Unsupported address type", it);
            default -> throw e;
        };
    }

    private static SocketException because(String message, Exception cause) {
        var e = new SocketException(message);
        e.initCause(cause);
        return e;
    }

    /** The exception for an address that nobody can connect to. */
    static UnknownHostException unknown(Object address) {
        return new UnknownHostException(address.toString());
    }
}
