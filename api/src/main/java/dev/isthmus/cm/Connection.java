// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import dev.isthmus.CheckReturnValue;
import dev.isthmus.CmException;
import dev.isthmus.internal.Deadline;
import dev.isthmus.internal.OwnerThread;
import dev.isthmus.loop.EventLoop;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.CompletionChannel;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.RegisteredMemory;
import dev.isthmus.verbs.WorkCompletions;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * A connection with everything that belongs to it: an RC queue pair, a completion queue to wait on, and a protection
 * domain to register memory in. {@link Connector#connect} and {@link Listener#accept} create it.
 *
 * <pre>{@code
 * try (var connection = Connector.connect(new InetSocketAddress("10.0.0.2", 7471), Duration.ofSeconds(5))) {
 *     var memory = connection.allocate(4096, AccessFlag.LOCAL_WRITE);
 *     memory.segment().setString(0, "hello");
 *     connection.queuePair().tryPost(SendRequest.prepare(memory.region()).range(0, 6).signaled(true));
 *     connection.await(done, Duration.ofSeconds(5));
 * }
 * }</pre>
 *
 * <p>It has a protection domain of its own, so the keys that you give to a peer reach no memory of other connections.
 * To share memory among many connections, register it once in a domain of the program's, and create the queue pairs in
 * that domain: {@link ConnectionId#createQueuePair}.
 *
 * <p>It belongs to one thread at a time, at first the one that created it: see {@link #handOver}. The program that
 * creates it owns it, and closes it after the memory that was registered in it.
 */
public final class Connection implements AutoCloseable {

    /**
     * Some devices complete outstanding requests only a moment after they were told to, and nothing shows when all
     * have completed.
     */
    private static final Duration FLUSH = Duration.ofMillis(100);

    private final ConnectionId id;
    private final ProtectionDomain pd;
    private final CompletionChannel completionChannel;
    private final CompletionQueue completions;
    private final QueuePair queuePair;
    private EventChannel eventChannel; // from when it is established
    private EventLoop loop; // waits for completions and events
    private ConnectionParameters peer;
    private InetSocketAddress localAddress;
    private InetSocketAddress peerAddress;
    private CmException end; // null while it is connected
    private Deadline flushDeadline; // when to stop waiting for completions after the end
    private final OwnerThread owner = new OwnerThread(this);
    private final OwnedResources owned = new OwnedResources();
    private boolean eventTaken; // the completion queue has sent its event, and must be armed again

    private Connection(ConnectionId id, ConnectionSetup setup, Undo undo) {
        this.id = id;
        DeviceContext device = id.device();
        this.pd = undo.add(device.allocateProtectionDomain());
        this.completionChannel = undo.add(device.createCompletionChannel());
        this.completions = undo.add(
                device.createCompletionQueue(setup.completions(), config -> config.channel(completionChannel)));
        this.queuePair = undo.add(id.createQueuePair(pd, completions, completions, setup.queuePair()));
    }

    /** Creates the objects of a connection that is not established yet. Closing them closes the id, too. */
    static Connection prepared(ConnectionId id, ConnectionSetup setup) {
        try (var undo = new Undo()) {
            var made = new Connection(id, setup, undo);
            undo.add(() -> {
                made.queuePair.close();
                made.owned.close(); // what the program has prepared before it has thrown
            });
            setup.prepare().accept(made);
            undo.keep();
            return made;
        }
    }

    /**
     * Notes that it is established.
     *
     * @param channel the id's channel, which belongs to this connection from now on
     */
    void established(ConnectionParameters parameters, EventChannel channel) {
        peer = parameters;
        eventChannel = channel;
        localAddress = id.localAddress();
        peerAddress = id.peerAddress();
        loop = EventLoop.open();
        loop.add(channel, this::onEvent);
        loop.add(completionChannel, queue -> eventTaken = true);
        completions.requestNotify(false);
    }

    private void onEvent(CmEvent event) {
        CmException failure = CmFailures.of(event, id + ", " + peerAddress);
        if (failure == null || end != null) {
            return;
        }
        markEnded(failure);
        try {
            id.disconnect(); // answers the peer, and flushes what is outstanding
        } catch (CmException e) {
            end.addSuppressed(e);
        }
    }

    private void markEnded(CmException how) {
        end = how;
        flushDeadline = Deadline.after(FLUSH);
    }

    /**
     * The queue pair, in RTS.
     *
     * @return the queue pair, which this closes
     */
    public QueuePair queuePair() {
        return queuePair;
    }

    /**
     * Where all sends and receives complete. Poll it, or wait with {@link #await}.
     *
     * @return the completion queue, which this closes
     */
    public CompletionQueue completions() {
        return completions;
    }

    /**
     * Where you register memory; {@link #allocate} is simpler.
     *
     * @return the protection domain, which this closes; close what you register in it first
     */
    public ProtectionDomain protectionDomain() {
        return pd;
    }

    /**
     * Allocates and registers memory, which this closes.
     *
     * @param bytes how much
     * @param access what the device and the peer may do with it
     * @return the memory, as {@link ProtectionDomain#allocate} returns it
     * @throws IllegalArgumentException if {@code bytes} is not positive, or the flags make no sense
     * @throws dev.isthmus.VerbsException if the call fails
     * @throws IllegalStateException if this is closed
     * @throws WrongThreadException if this belongs to another thread
     */
    public RegisteredMemory allocate(long bytes, AccessFlag... access) {
        owner.check();
        return closeWith(pd.allocate(bytes, access));
    }

    /**
     * Closes a resource together with this: after the queue pair, before the protection domain, and the last one
     * added first.
     *
     * @param <T> its type
     * @param resource what to close; its close throws no checked exception
     * @return the resource
     * @throws WrongThreadException if this belongs to another thread
     */
    public <T extends AutoCloseable> T closeWith(T resource) {
        owner.check();
        return owned.add(resource);
    }

    /**
     * The connection id of librdmacm.
     *
     * @return the id, which this closes
     */
    public ConnectionId id() {
        return id;
    }

    /**
     * What the peer sent along: with its acceptance or, on the accepting side, its request. Do not trust it.
     *
     * @return the private data, padded on RoCE and InfiniBand; null while the connection is being prepared
     */
    public PrivateData privateData() {
        return peer == null ? null : peer.privateData();
    }

    /**
     * What the peer asked for or granted.
     *
     * @return the parameters; null while the connection is being prepared
     */
    public ConnectionParameters parameters() {
        return peer;
    }

    /**
     * The local address.
     *
     * @return the address and port; null while the connection is being prepared
     */
    public InetSocketAddress localAddress() {
        return localAddress;
    }

    /**
     * The peer's address.
     *
     * @return the address and port; null while the connection is being prepared
     */
    public InetSocketAddress peerAddress() {
        return peerAddress;
    }

    /**
     * Polls completions; if there are none, waits for the first. When the connection has ended, everything outstanding
     * first completes with an error. The device gets a tenth of a second for that.
     *
     * @param done receives the completions
     * @param timeout how long to wait; zero or less does not wait
     * @return how many there are; 0 if the time is over
     * @throws InterruptedException if the thread is interrupted before or while it waits; no completion is lost
     * @throws CmException with DISCONNECTED or DEVICE_REMOVED if the connection has ended, and there is no completion
     * @throws IllegalStateException if this is closed, or still being prepared
     * @throws WrongThreadException if this belongs to another thread
     */
    @CheckReturnValue
    public int await(WorkCompletions done, Duration timeout) throws InterruptedException {
        checkEstablished();
        Deadline deadline = timeout.isPositive() ? Deadline.after(timeout) : null;
        int n = completions.poll(done);
        while (n == 0) {
            if (eventTaken) {
                eventTaken = false;
                completions.requestNotify(false);
            }
            boolean handled = loop.turn(Duration.ZERO);
            n = completions.poll(done);
            if (n == 0 && end != null && flushDeadline.hasPassed()) {
                throw end;
            }
            if (n == 0 && !handled) {
                if (deadline == null || deadline.hasPassed()) {
                    return 0;
                }
                loop.turn(end == null ? deadline.left() : flushDeadline.leftAtMost(deadline.left()));
                n = completions.poll(done);
            }
        }
        return n;
    }

    /**
     * Whether both sides are connected, as far as this side knows. A host that lost its power reports nothing: then
     * requests complete with RETRY_EXC_ERR.
     *
     * @return false once either side has disconnected, the peer's process has ended, or the device is being removed
     * @throws IllegalStateException if this is closed, or still being prepared
     * @throws WrongThreadException if this belongs to another thread
     */
    public boolean isConnected() {
        owner.check();
        checkEstablished();
        while (end == null) {
            CmEvent event = eventChannel.poll();
            if (event == null) {
                return true;
            }
            onEvent(event);
        }
        return false;
    }

    private void checkEstablished() {
        if (eventChannel == null) {
            id.calls.lifetime().check();
            throw new IllegalStateException(
                    id + " is still connecting: let the action of ConnectionSetup.prepare return first");
        }
    }

    /**
     * Waits until the connection has ended, by either side.
     *
     * @param timeout how long; zero or less does not wait
     * @return what ended it; null if the time is over
     * @throws InterruptedException if the thread is interrupted before or while it waits
     * @throws IllegalStateException if this is closed, or still being prepared
     * @throws WrongThreadException if this belongs to another thread
     */
    public CmException awaitEnd(Duration timeout) throws InterruptedException {
        Deadline deadline = timeout.isPositive() ? Deadline.after(timeout) : null;
        while (isConnected()) {
            CmEvent event = deadline == null ? null : eventChannel.await(deadline.left());
            if (event == null) {
                return null;
            }
            onEvent(event);
        }
        return end;
    }

    /**
     * Ends the connection: {@code rdma_disconnect}. Outstanding requests complete with WR_FLUSH_ERR. Does nothing if it
     * has ended already.
     *
     * @throws IllegalStateException if this is closed, or still being prepared
     * @throws WrongThreadException if this belongs to another thread
     * @throws CmException if the call fails
     */
    public void disconnect() {
        if (isConnected()) {
            id.disconnect();
            markEnded(CmFailures.of(new CmEvent.Disconnected(id, 0), id + ", by this side"));
        }
    }

    /**
     * Gives the connection, with its queue pair and completion queue, to another thread, as
     * {@link QueuePair#handOver} does.
     *
     * @param next the new owner
     * @throws WrongThreadException if this belongs to another thread than the caller
     * @throws IllegalStateException if this is closed
     */
    public void handOver(Thread next) {
        queuePair.handOver(next);
        completions.handOver(next);
        owner.handOver(next);
    }

    /**
     * Ends the connection and closes everything that belongs to it, including what you passed to {@link #closeWith}.
     * Does nothing if it is closed already.
     *
     * @throws IllegalStateException if other memory registered in it is not closed; close that, and try again
     * @throws WrongThreadException if this belongs to another thread
     * @throws dev.isthmus.RdmaException if a call fails; you can try again
     */
    @Override
    public void close() {
        queuePair.close();
        owned.close();
        if (loop != null) {
            loop.close();
        }
        completions.close();
        completionChannel.close();
        id.close(); // notifies the peer, unless it has ended the connection
        pd.close();
        if (eventChannel != null) {
            eventChannel.close();
        }
    }

    /** The class, and both addresses. */
    @Override
    public String toString() {
        return "Connection(" + localAddress + " to " + peerAddress + ")";
    }
}
