// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs.exchange;

import dev.isthmus.internal.Deadline;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.QueuePairAddress;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.Objects;

/**
 * Exchanges {@link QueuePairAddress}es between two ends of a connection over TCP, for programs that do not use the RDMA
 * connection manager. It stands for no C function: verbs leaves this to the program.
 *
 * <p>One end listens and accepts, the other connects; then both do the same:
 *
 * <pre>{@code
 * try (var peer = AddressExchange.connect(server, Duration.ofSeconds(10))) {
 *     var remote = peer.swap(qp.address(gid));
 *     qp.connect(gid, remote.address());
 *     // post receives here
 *     peer.ready(); // both ends are connected: either may send
 * }
 * }</pre>
 *
 * <p>The network is not trusted. One deadline spans the whole exchange, so a peer that is silent, or sends byte by
 * byte, cannot hold it longer. Everything received has a fixed or limited length, and is checked before it is used. The
 * listening end sends nothing before the other end has sent something valid. Failures are an {@link IOException}, as
 * Java programs expect of sockets:
 *
 * <ul>
 *   <li>{@link SocketTimeoutException}: the deadline has passed;
 *   <li>{@link ProtocolException}: the peer is another program, speaks another version, or sent a value out of range;
 *   <li>{@link java.io.EOFException}: the peer closed the connection early;
 *   <li>{@link java.net.ConnectException}, {@link java.net.SocketException}: nobody listens, or the connection broke;
 *   <li>{@link InterruptedIOException}: the thread was interrupted, and its interrupt status is kept;
 *   <li>{@link ClosedChannelException}: this was closed, here or by another thread.
 * </ul>
 *
 * <p>After any of them the exchange is over: close it. If the queue pair is connected already, bring it back to RESET.
 * There is no encryption and no proof of who the peer is: use it in a network whose hosts may access the memory that
 * they learn of. Use it from one thread at a time, except {@link #close}. The program that opens it owns it.
 */
public final class AddressExchange implements AutoCloseable {

    /** How many bytes of its own a program can send with an address. */
    public static final int MAX_DATA_BYTES = 1024;

    private final TimedChannel channel;
    private final boolean speaksFirst;

    private AddressExchange(TimedChannel channel, boolean speaksFirst) {
        this.channel = channel;
        this.speaksFirst = speaksFirst;
    }

    /**
     * What the peer sent.
     *
     * @param address its queue pair's address, checked
     * @param data what its program sent along, read-only and big-endian, 0 to {@link #MAX_DATA_BYTES} bytes
     */
    public record Remote(QueuePairAddress address, ByteBuffer data) {

        /** Keeps a read-only view of the data. */
        public Remote {
            Objects.requireNonNull(address, "address");
            data = data.asReadOnlyBuffer();
        }

        /**
         * What the peer's program sent along.
         *
         * @return the bytes, with a position of their own
         */
        @Override
        public ByteBuffer data() {
            return data.duplicate();
        }
    }

    /** Waits for peers at one address. Thread-safe: if several threads accept, each gets peers of its own. */
    public static final class Listener implements AutoCloseable {

        private final TimedListener listener;

        private Listener(TimedListener listener) {
            this.listener = listener;
        }

        /**
         * The address at which it listens.
         *
         * @return the address, with the chosen port if you asked for port 0
         */
        public InetSocketAddress address() {
            return listener.address();
        }

        /**
         * Waits for one peer. Blocks. {@link AddressExchange#swap} finds what a peer does wrong; this goes on
         * listening, and you can accept another peer.
         *
         * @param wait how long a peer may take to connect
         * @param exchange how long the whole exchange may take from then on
         * @return this end of the exchange
         * @throws SocketTimeoutException if nobody connected; you can try again
         * @throws IllegalArgumentException if a duration is not positive
         * @throws IOException if this is closed, the thread is interrupted, or the socket fails
         */
        public AddressExchange accept(Duration wait, Duration exchange) throws IOException {
            return new AddressExchange(listener.accept(Deadline.after(wait), exchange), false);
        }

        /** Stops listening; a thread that waits in {@link #accept} gets an exception. Does not close accepted peers. */
        @Override
        public void close() {
            listener.close();
        }

        /** The class and the address. */
        @Override
        public String toString() {
            return "AddressExchange.Listener(" + listener.address() + ")";
        }
    }

    /**
     * Listens for peers.
     *
     * @param address one address of this host, such as that of the RDMA device, and a port, 0 for any free one
     * @return the listener
     * @throws IllegalArgumentException if the address is the wildcard, which would admit every network
     * @throws java.net.UnknownHostException if the address is not resolved
     * @throws java.net.BindException if the port is in use, or the address is not one of this host's
     * @throws IOException if the socket fails
     */
    public static Listener listen(InetSocketAddress address) throws IOException {
        return new Listener(TimedListener.open(address));
    }

    /**
     * Connects to a peer that listens. Blocks.
     *
     * @param server the address at which it listens
     * @param exchange how long the whole exchange may take, including connecting
     * @return this end of the exchange
     * @throws IllegalArgumentException if the duration is not positive
     * @throws java.net.UnknownHostException if the address is not resolved
     * @throws java.net.ConnectException if nobody listens there
     * @throws SocketTimeoutException if no answer arrives in time
     * @throws IOException if the thread is interrupted, or the socket fails
     */
    public static AddressExchange connect(InetSocketAddress server, Duration exchange) throws IOException {
        return new AddressExchange(TimedChannel.connect(server, Deadline.after(exchange)), true);
    }

    /**
     * Sends this end's address to the peer, and receives the peer's. Blocks until the peer has called this, too. Both
     * ends call it once for each pair of queue pairs, in the same order.
     *
     * @param mine what {@link QueuePair#address} returned
     * @return what the peer sent
     * @throws SocketTimeoutException if the deadline of the exchange has passed
     * @throws ProtocolException if the peer sent something else
     * @throws IOException if the connection broke
     */
    public Remote swap(QueuePairAddress mine) throws IOException {
        return swap(mine, ByteBuffer.allocate(0));
    }

    /**
     * Like {@link #swap(QueuePairAddress)}, with data for the peer's program, such as the address and rkey of a region.
     * What comes back is the peer's word: check its length and values.
     *
     * @param mine what {@link QueuePair#address} returned
     * @param data the bytes between its position and limit, which do not change
     * @return what the peer sent
     * @throws IllegalArgumentException if there are more than {@link #MAX_DATA_BYTES} bytes
     * @throws SocketTimeoutException if the deadline of the exchange has passed
     * @throws ProtocolException if the peer sent something else
     * @throws IOException if the connection broke
     */
    public Remote swap(QueuePairAddress mine, ByteBuffer data) throws IOException {
        ByteBuffer message = ExchangeMessage.address(mine, data);
        if (speaksFirst) {
            channel.write(message);
        }
        ByteBuffer fixed = receive(ExchangeMessage.Kind.ADDRESS, ExchangeMessage.ADDRESS_BYTES);
        try {
            ByteBuffer theirs = channel.read(ExchangeMessage.dataLength(fixed), "its data");
            var remote = new Remote(ExchangeMessage.decode(fixed), theirs);
            if (!speaksFirst) {
                channel.write(message);
            }
            return remote;
        } catch (IllegalArgumentException e) {
            throw broken(e.getMessage(), e);
        }
    }

    /**
     * Waits until both ends have got this far. Call it once the queue pair is connected and its receives are posted;
     * either end may send once it has returned. Blocks.
     *
     * @throws SocketTimeoutException if the deadline of the exchange has passed
     * @throws ProtocolException if the peer sent something else
     * @throws IOException if the connection broke
     */
    public void ready() throws IOException {
        if (speaksFirst) {
            channel.write(ExchangeMessage.ready());
        }
        receive(ExchangeMessage.Kind.READY, 0);
        if (!speaksFirst) {
            channel.write(ExchangeMessage.ready());
        }
    }

    /** The fixed part of a message. The prefix is checked first, as other programs may send no more. */
    private ByteBuffer receive(ExchangeMessage.Kind kind, int bytes) throws IOException {
        ByteBuffer prefix = channel.read(ExchangeMessage.PREFIX_BYTES, kind.text());
        String wrong = ExchangeMessage.whatIsWrong(prefix, kind);
        if (!wrong.isEmpty()) {
            if (!speaksFirst && ExchangeMessage.isOtherVersion(prefix)) {
                channel.write(ExchangeMessage.ready()); // only to tell the peer this version
            }
            throw broken(wrong, null);
        }
        return channel.read(bytes, kind.text());
    }

    private ProtocolException broken(String what, Throwable cause) {
        var e = new ProtocolException("the peer at " + channel.peer() + " " + what);
        e.initCause(cause);
        return e;
    }

    /**
     * The peer's socket address.
     *
     * @return its address and port
     */
    public InetSocketAddress peer() {
        return channel.peerAddress();
    }

    /**
     * Closes the connection, which the queue pairs do not need; a thread that waits for the peer gets an exception. Any
     * thread may call it, and again.
     */
    @Override
    public void close() {
        channel.close();
    }

    /** The class and the peer. */
    @Override
    public String toString() {
        return "AddressExchange(" + channel.peer() + ")";
    }
}
