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
 * Tells two ends of a connection each other's {@link QueuePairAddress} over TCP, for programs that do not use the RDMA
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
 * <p>The network is not trusted. One deadline spans the whole exchange, so that a peer that is silent or sends byte by
 * byte holds it no longer; everything received has a fixed or limited length and is checked before it is used, and the
 * end that listens says nothing before the other one has said something valid. What goes wrong is an
 * {@link IOException}, as Java programs expect of sockets:
 *
 * <ul>
 *   <li>{@link SocketTimeoutException}: the deadline has passed;
 *   <li>{@link ProtocolException}: the peer is another program, speaks another version, or sent a value out of range;
 *   <li>{@link java.io.EOFException}: it closed the connection early;
 *   <li>{@link java.net.ConnectException}, {@link java.net.SocketException}: nobody listens, the connection broke;
 *   <li>{@link InterruptedIOException}: the thread was interrupted, and its interrupt status is kept;
 *   <li>{@link ClosedChannelException}: this was closed, here or by another thread.
 * </ul>
 *
 * <p>After any of them the exchange is over: close it. When the queue pair is connected already, bring it back to
 * RESET. There is no encryption and no proof of who the peer is: use it in a network whose hosts may reach the memory
 * that they are told about. Used by one thread at a time, but for {@link #close}; owned by who opened it.
 */
public final class AddressExchange implements AutoCloseable {

    /** How many bytes of the program's own go with an address at most. */
    public static final int MAX_DATA_BYTES = 1024;

    private final TimedChannel channel;
    private final boolean speaksFirst;

    private AddressExchange(TimedChannel channel, boolean speaksFirst) {
        this.channel = channel;
        this.speaksFirst = speaksFirst;
    }

    /**
     * What the peer has told.
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

    /** Waits for peers at one address. Thread-safe: of several threads that accept, each gets peers of its own. */
    public static final class Listener implements AutoCloseable {

        private final TimedListener listener;

        private Listener(TimedListener listener) {
            this.listener = listener;
        }

        /**
         * Where it listens.
         *
         * @return the address, with the port that was chosen if it was asked for port 0
         */
        public InetSocketAddress address() {
            return listener.address();
        }

        /**
         * Waits for one peer. Blocks. What the peer does wrong is found by {@link AddressExchange#swap}: this goes on
         * listening, and another peer can be accepted.
         *
         * @param wait how long a peer may take to come
         * @param exchange how long the whole exchange may take from then on
         * @return this end of the exchange
         * @throws SocketTimeoutException if nobody came; it can be tried again
         * @throws IllegalArgumentException if a duration is not positive
         * @throws IOException if this is closed, the thread is interrupted, or the socket fails
         */
        public AddressExchange accept(Duration wait, Duration exchange) throws IOException {
            return new AddressExchange(listener.accept(Deadline.after(wait), exchange), false);
        }

        /** Stops listening; a thread that waits in {@link #accept} gets an exception. Peers accepted are not closed. */
        @Override
        public void close() {
            listener.close();
        }

        /** The class and where it listens. */
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
     * @throws IllegalArgumentException if the address is the wildcard, which would let every network in
     * @throws java.net.UnknownHostException if the address is not resolved
     * @throws java.net.BindException if the port is taken, or the address not of this host
     * @throws IOException if the socket fails
     */
    public static Listener listen(InetSocketAddress address) throws IOException {
        return new Listener(TimedListener.open(address));
    }

    /**
     * Connects to a peer that listens. Blocks.
     *
     * @param server where it listens
     * @param exchange how long the whole exchange may take, connecting included
     * @return this end of the exchange
     * @throws IllegalArgumentException if the duration is not positive
     * @throws java.net.UnknownHostException if the address is not resolved
     * @throws java.net.ConnectException if nobody listens there
     * @throws SocketTimeoutException if there is no answer in time
     * @throws IOException if the thread is interrupted, or the socket fails
     */
    public static AddressExchange connect(InetSocketAddress server, Duration exchange) throws IOException {
        return new AddressExchange(TimedChannel.connect(server, Deadline.after(exchange)), true);
    }

    /**
     * Tells the peer this end's address, and learns the peer's. Blocks until the peer has called this, too. Both ends
     * call it once for each pair of queue pairs, in the same order.
     *
     * @param mine what {@link QueuePair#address} returned
     * @return what the peer told
     * @throws SocketTimeoutException if the deadline of the exchange has passed
     * @throws ProtocolException if the peer sent something else
     * @throws IOException if the connection broke
     */
    public Remote swap(QueuePairAddress mine) throws IOException {
        return swap(mine, ByteBuffer.allocate(0));
    }

    /**
     * As {@link #swap(QueuePairAddress)}, with something for the peer's program, such as the address and rkey of a
     * region. What comes back is the peer's word: check its length and values.
     *
     * @param mine what {@link QueuePair#address} returned
     * @param data the bytes between its position and limit, which do not change
     * @return what the peer told
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
     * Waits until both ends have come this far: call it when the queue pair is connected and its receives are posted,
     * and either end may send once it has returned. Blocks.
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

    /** The part of a message that has a fixed length; the prefix is judged first, as others may send no more. */
    private ByteBuffer receive(ExchangeMessage.Kind kind, int bytes) throws IOException {
        ByteBuffer prefix = channel.read(ExchangeMessage.PREFIX_BYTES, kind.text());
        String wrong = ExchangeMessage.whatIsWrong(prefix, kind);
        if (!wrong.isEmpty()) {
            if (!speaksFirst && ExchangeMessage.isOtherVersion(prefix)) {
                channel.write(ExchangeMessage.ready()); // of no use but to tell which version this is
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
     * Where the peer is.
     *
     * @return its address and port
     */
    public InetSocketAddress peer() {
        return channel.peerAddress();
    }

    /**
     * Closes the connection, which the queue pairs do not need; a thread that waits for the peer gets an exception.
     * Can be called by any thread, and again.
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
