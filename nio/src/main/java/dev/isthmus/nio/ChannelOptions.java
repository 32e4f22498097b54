// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static java.net.StandardSocketOptions.IP_TOS;
import static java.net.StandardSocketOptions.SO_KEEPALIVE;
import static java.net.StandardSocketOptions.SO_LINGER;
import static java.net.StandardSocketOptions.SO_RCVBUF;
import static java.net.StandardSocketOptions.SO_REUSEADDR;
import static java.net.StandardSocketOptions.SO_SNDBUF;
import static java.net.StandardSocketOptions.TCP_NODELAY;
import static jdk.net.ExtendedSocketOptions.TCP_KEEPCOUNT;
import static jdk.net.ExtendedSocketOptions.TCP_KEEPIDLE;
import static jdk.net.ExtendedSocketOptions.TCP_KEEPINTERVAL;

import dev.isthmus.nio.stream.StreamOptions;
import dev.isthmus.nio.stream.StreamProtocol;
import java.net.SocketOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** The options of a channel. Thread-safe. */
final class ChannelOptions {

    static final Set<SocketOption<?>> OF_SERVER = Set.of(
            SO_RCVBUF,
            SO_REUSEADDR,
            RdmaSocketOptions.SEND_QUEUE,
            RdmaSocketOptions.RECEIVE_QUEUE,
            RdmaSocketOptions.INLINE,
            RdmaSocketOptions.POLLING,
            RdmaSocketOptions.IOMAP_SIZE,
            RdmaSocketOptions.VALKEY);

    static final Set<SocketOption<?>> OF_SOCKET = ofSocket();

    private static final int MAX_LINGER = 65_535; // the JDK's limit, in seconds
    private static final int MAX_TOS = 255;

    // What Linux has for TCP.
    private static final int KEEP_IDLE = Math.max(1, Integer.getInteger("isthmus.nio.keepAliveSeconds", 7200));
    private static final int KEEP_INTERVAL = 75;
    private static final int KEEP_COUNT = 9;

    private final Map<SocketOption<?>, Object> values = new HashMap<>();

    ChannelOptions() {
        stream(StreamOptions.DEFAULT);
        values.put(SO_REUSEADDR, false);
        values.put(SO_KEEPALIVE, false);
        values.put(TCP_NODELAY, false); // writes go out at once, whatever this says
        values.put(SO_LINGER, -1);
        values.put(IP_TOS, 0);
        values.put(TCP_KEEPIDLE, KEEP_IDLE);
        values.put(TCP_KEEPINTERVAL, KEEP_INTERVAL); // the device's own retries count, whatever these two say
        values.put(TCP_KEEPCOUNT, KEEP_COUNT);
    }

    private static Set<SocketOption<?>> ofSocket() {
        Set<SocketOption<?>> all = new HashSet<>(OF_SERVER);
        all.addAll(Set.of(SO_SNDBUF, SO_LINGER, SO_KEEPALIVE, TCP_NODELAY, IP_TOS));
        all.addAll(Set.of(TCP_KEEPIDLE, TCP_KEEPINTERVAL, TCP_KEEPCOUNT));
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
        values.put(RdmaSocketOptions.VALKEY, options.protocol() == StreamProtocol.VALKEY);
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
                number(RdmaSocketOptions.IOMAP_SIZE),
                (Boolean) values.get(RdmaSocketOptions.VALKEY) ? StreamProtocol.VALKEY : StreamProtocol.RSOCKET);
    }

    private int number(SocketOption<Integer> option) {
        return (Integer) values.get(option);
    }

    synchronized boolean reuseAddress() {
        return (Boolean) values.get(SO_REUSEADDR);
    }

    /** After how long without traffic to probe the peer; null if it is not probed. */
    synchronized Duration keepAlive() {
        return (Boolean) values.get(SO_KEEPALIVE) ? Duration.ofSeconds(number(TCP_KEEPIDLE)) : null;
    }

    synchronized int typeOfService() {
        return number(IP_TOS);
    }

    synchronized int linger() {
        return number(SO_LINGER);
    }

    synchronized <T> void set(SocketOption<T> option, T value, Set<SocketOption<?>> supported) {
        check(option, supported);
        boolean isValid = value != null && (!(value instanceof Integer number) || isInRange(option, number));
        if (!isValid) {
            throw new IllegalArgumentException(option.name() + " cannot be " + value);
        }
        values.put(option, option.equals(SO_LINGER) ? Math.clamp((Integer) value, -1, MAX_LINGER) : value);
    }

    private static boolean isInRange(SocketOption<?> option, int value) {
        return switch (option.name()) {
            case "SO_LINGER" -> true;
            case "IP_TOS" -> value >= 0 && value <= MAX_TOS;
            case "TCP_KEEPIDLE", "TCP_KEEPINTERVAL", "TCP_KEEPCOUNT" -> value > 0;
            default -> value >= 0;
        };
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
