// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static java.net.StandardSocketOptions.SO_KEEPALIVE;
import static java.net.StandardSocketOptions.SO_LINGER;
import static java.net.StandardSocketOptions.SO_RCVBUF;
import static java.net.StandardSocketOptions.SO_REUSEADDR;
import static java.net.StandardSocketOptions.SO_SNDBUF;
import static java.net.StandardSocketOptions.TCP_NODELAY;

import dev.isthmus.nio.stream.StreamOptions;
import java.net.SocketOption;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** The options of a channel. Thread-safe. */
final class Options {

    static final Set<SocketOption<?>> OF_SERVER = Set.of(
            SO_RCVBUF,
            SO_REUSEADDR,
            RdmaSocketOptions.SEND_QUEUE,
            RdmaSocketOptions.RECEIVE_QUEUE,
            RdmaSocketOptions.INLINE,
            RdmaSocketOptions.POLLING,
            RdmaSocketOptions.IOMAP_SIZE);

    static final Set<SocketOption<?>> OF_SOCKET = ofSocket();

    private static final int LONGEST_LINGER = 65_535; // the JDK's limit, in seconds

    private final Map<SocketOption<?>, Object> values = new HashMap<>();

    Options() {
        stream(StreamOptions.DEFAULT);
        values.put(SO_REUSEADDR, false);
        values.put(SO_KEEPALIVE, false);
        values.put(TCP_NODELAY, false); // writes go out at once, whatever this says
        values.put(SO_LINGER, -1);
    }

    private static Set<SocketOption<?>> ofSocket() {
        Set<SocketOption<?>> all = new HashSet<>(OF_SERVER);
        all.addAll(Set.of(SO_SNDBUF, SO_LINGER, SO_KEEPALIVE, TCP_NODELAY));
        return Set.copyOf(all);
    }

    /** Takes the options of a stream. */
    synchronized void stream(StreamOptions options) {
        values.put(SO_SNDBUF, options.sendBuffer());
        values.put(SO_RCVBUF, options.receiveBuffer());
        values.put(RdmaSocketOptions.SEND_QUEUE, options.sendQueue());
        values.put(RdmaSocketOptions.RECEIVE_QUEUE, options.receiveQueue());
        values.put(RdmaSocketOptions.INLINE, options.inline());
        values.put(RdmaSocketOptions.POLLING, options.polling());
        values.put(RdmaSocketOptions.IOMAP_SIZE, options.iomapSize());
    }

    /** The options for a new stream. */
    synchronized StreamOptions stream() {
        return new StreamOptions(
                number(SO_SNDBUF),
                number(SO_RCVBUF),
                number(RdmaSocketOptions.SEND_QUEUE),
                number(RdmaSocketOptions.RECEIVE_QUEUE),
                number(RdmaSocketOptions.INLINE),
                number(RdmaSocketOptions.POLLING),
                number(RdmaSocketOptions.IOMAP_SIZE));
    }

    private int number(SocketOption<Integer> option) {
        return (Integer) values.get(option);
    }

    synchronized boolean reuseAddress() {
        return (Boolean) values.get(SO_REUSEADDR);
    }

    synchronized boolean keepAlive() {
        return (Boolean) values.get(SO_KEEPALIVE);
    }

    synchronized int linger() {
        return number(SO_LINGER);
    }

    synchronized <T> void set(SocketOption<T> option, T value, Set<SocketOption<?>> supported) {
        check(option, supported);
        if (value == null || (value instanceof Integer number && number < 0 && !option.equals(SO_LINGER))) {
            throw new IllegalArgumentException(option.name() + " cannot be " + value);
        }
        values.put(option, option.equals(SO_LINGER) ? Math.clamp((Integer) value, -1, LONGEST_LINGER) : value);
    }

    synchronized <T> T get(SocketOption<T> option, Set<SocketOption<?>> supported) {
        check(option, supported);
        return option.type().cast(values.get(option));
    }

    private static void check(SocketOption<?> option, Set<SocketOption<?>> supported) {
        if (!supported.contains(Objects.requireNonNull(option, "option"))) {
            throw new UnsupportedOperationException("'" + option + "' not supported");
        }
    }
}
