// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import java.io.IOException;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.SocketOptions;
import java.net.StandardSocketOptions;

/** The options that {@link java.net.Socket} names by numbers. */
final class NumberedOptions {

    /** Sets an option. */
    interface Setter {
        <T> void set(SocketOption<T> name, T value) throws IOException;
    }

    /** Gets an option. */
    interface Getter {
        <T> T get(SocketOption<T> name) throws IOException;
    }

    private NumberedOptions() {}

    private static SocketOption<?> named(int number) throws SocketException {
        return switch (number) {
            case SocketOptions.TCP_NODELAY -> StandardSocketOptions.TCP_NODELAY;
            case SocketOptions.SO_REUSEADDR -> StandardSocketOptions.SO_REUSEADDR;
            case SocketOptions.SO_REUSEPORT -> StandardSocketOptions.SO_REUSEPORT;
            case SocketOptions.SO_KEEPALIVE -> StandardSocketOptions.SO_KEEPALIVE;
            case SocketOptions.SO_SNDBUF -> StandardSocketOptions.SO_SNDBUF;
            case SocketOptions.SO_RCVBUF -> StandardSocketOptions.SO_RCVBUF;
            case SocketOptions.SO_LINGER -> StandardSocketOptions.SO_LINGER;
            case SocketOptions.IP_TOS -> StandardSocketOptions.IP_TOS;
            default -> throw new SocketException("Unknown option " + number);
        };
    }

    /** Sets one; what lingers not at all is given as false. */
    static void set(Setter to, int number, Object value) throws IOException {
        set(
                to,
                named(number),
                value instanceof Boolean lingers && !lingers && number == SocketOptions.SO_LINGER ? -1 : value);
    }

    private static <T> void set(Setter to, SocketOption<T> name, Object value) throws IOException {
        to.set(name, name.type().cast(value));
    }

    static Object get(Getter from, int number) throws IOException {
        Object value = from.get(named(number));
        boolean isNoLinger = number == SocketOptions.SO_LINGER && value.equals(-1);
        return isNoLinger ? (Object) false : value;
    }
}
