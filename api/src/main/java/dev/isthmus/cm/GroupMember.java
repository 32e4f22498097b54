// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.cm;

import dev.isthmus.CmException;
import dev.isthmus.loop.Timer;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.attributes.TransportType;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A connection of a {@link ConnectionGroup}. Belongs to the thread of the group's loop.
 */
public final class GroupMember {

    private enum Stage {
        CONNECTING,
        CONNECTED,
        ENDING,
        ENDED
    }

    /** The number of every member's marker, its last request. Other requests can have it only by chance. */
    private static final long MARKER = ThreadLocalRandom.current().nextLong();

    private static final Duration FIRST_TRY = Duration.ofMillis(125);
    private static final Duration MAX_TRY = Duration.ofSeconds(2);

    private final ConnectionGroup group;
    private final ConnectionId id;
    private final InetSocketAddress to; // where to connect to; null if the peer connects
    private final CompletableFuture<GroupMember> future; // likewise
    private Duration tryTime = FIRST_TRY; // for resolving the address: see Connector
    private InetSocketAddress localAddress; // null before there is one, like the next field
    private InetSocketAddress peerAddress;
    private ConnectionParameters parameters;
    private QueuePair queuePair;
    private Timer deadline; // of the handshake; null after it
    private Timer flushLimit; // limits the flush at the end; null unless it is ending
    private CmException end;
    private boolean markerPosted;
    private Stage stage = Stage.CONNECTING;
    private Object attachment;

    /** A member whose peer connects, with the parameters that the peer asks for. */
    GroupMember(ConnectionGroup group, ConnectionId id, ConnectionParameters parameters) {
        this(group, id, null, null);
        this.parameters = parameters;
    }

    /** A member that this side connects to. */
    GroupMember(ConnectionGroup group, ConnectionId id, InetSocketAddress to, CompletableFuture<GroupMember> future) {
        this.group = group;
        this.id = id;
        this.to = to;
        this.future = future;
        id.attach(this);
    }

    /** Resolves the address: each try takes longer than the one before. */
    void resolve(InetSocketAddress from) {
        id.resolveAddress(from, to, tryTime);
        tryTime = tryTime.compareTo(MAX_TRY) < 0 ? tryTime.multipliedBy(2) : MAX_TRY;
    }

    /** Takes its queue pair. */
    void setQueuePair(QueuePair made) {
        queuePair = made;
        made.attach(this);
    }

    /** Drops it when the timer fires, unless it is connected by then. */
    void setDeadline(Timer timer) {
        deadline = timer;
    }

    boolean isConnecting() {
        return stage == Stage.CONNECTING;
    }

    /** Notes that it is established. If the peer connected, the event has no parameters. */
    void connected(ConnectionParameters byPeer) {
        endHandshake();
        stage = Stage.CONNECTED;
        if (!isIncoming()) {
            parameters = byPeer;
        }
        localAddress = id.localAddress();
        peerAddress = id.peerAddress();
        try {
            group.handler().connected(this);
        } finally {
            if (stage != Stage.ENDED && future != null && !future.complete(this)) {
                disconnect(); // the caller has cancelled it
            }
        }
    }

    /** Begins to end it: outstanding requests are flushed, and {@link #isMarker} is true for the last completion. */
    void beginEnd(CmException how) {
        if (stage == Stage.ENDING || stage == Stage.ENDED) {
            return;
        }
        end = how;
        if (stage == Stage.CONNECTING) {
            finish();
            return;
        }
        stage = Stage.ENDING;
        try {
            id.disconnect(); // notifies or answers the peer
        } catch (CmException e) {
            end.addSuppressed(e);
        }
        // iWARP disconnects in SQD, and SoftiWARP does not flush requests that are posted in ERR.
        boolean marks = id.device().device().transportType() != TransportType.IWARP;
        if (!marks || end.getSuppressed().length > 0) {
            queuePair.flush();
        }
        group.finish(this, marks);
    }

    /** Posts its marker, if there is room by now. In ERR, requests complete in the order in which they were posted. */
    boolean postMarker() {
        markerPosted = queuePair.tryPost(SendRequest.prepare(0).wrId(MARKER).signaled(true));
        return markerPosted;
    }

    /** Whether its marker is posted and has not completed. */
    boolean isMarkerPosted() {
        return markerPosted;
    }

    /** Notes that its marker has completed, or is no longer waited for. */
    void markerCompleted() {
        markerPosted = false;
        endWait();
    }

    /** Whether this is the number of a marker. */
    static boolean isMarker(long wrId) {
        return wrId == MARKER;
    }

    /** Finishes it, once all of its sends have completed. */
    void finish() {
        boolean announced = stage != Stage.CONNECTING;
        stage = Stage.ENDED;
        try {
            if (announced) {
                group.handler().ended(this, end);
            } else if (future != null) {
                future.completeExceptionally(end);
            }
        } finally {
            close();
        }
    }

    private void endHandshake() {
        if (deadline != null) {
            deadline.cancel();
            deadline = null;
            group.handshakeEnded(this);
        }
    }

    private void endWait() {
        if (flushLimit != null) {
            flushLimit.cancel();
            flushLimit = null;
        }
    }

    /** Closes it when the timer fires, whether or not everything has completed. */
    void limitFlush(Timer timer) {
        flushLimit = timer;
    }

    /** Closes its objects in C. */
    void close() {
        stage = Stage.ENDED;
        endHandshake();
        endWait();
        if (queuePair != null) {
            queuePair.close();
        }
        id.close();
        group.remove(this);
        if (future != null) {
            future.completeExceptionally(new IllegalStateException(group + " is closed")); // unless completed already
        }
    }

    ConnectionId id() {
        return id;
    }

    /**
     * Whether the peer has connected to this side, rather than this side to the peer.
     *
     * @return whether it has
     */
    public boolean isIncoming() {
        return to == null;
    }

    /**
     * Its queue pair, to send on. Its receives are those of the group.
     *
     * @return the queue pair, which the group closes
     */
    public QueuePair queuePair() {
        return queuePair;
    }

    /**
     * The group that it belongs to.
     *
     * @return the group
     */
    public ConnectionGroup group() {
        return group;
    }

    /**
     * What the peer asked for or granted, with its private data. Do not trust it.
     *
     * @return the parameters
     */
    public ConnectionParameters parameters() {
        return parameters;
    }

    /**
     * The local address.
     *
     * @return the address and port
     */
    public InetSocketAddress localAddress() {
        return localAddress;
    }

    /**
     * The peer's address.
     *
     * @return the address and port
     */
    public InetSocketAddress peerAddress() {
        return peerAddress;
    }

    /**
     * Whether both sides are connected, as far as this side knows.
     *
     * @return false once either side has disconnected, or its end was noticed otherwise
     */
    public boolean isConnected() {
        return stage == Stage.CONNECTED;
    }

    /**
     * Ends the connection: {@code rdma_disconnect}. Outstanding requests complete with WR_FLUSH_ERR; then
     * {@link GroupHandler#ended} is called. Does not block. Does nothing if it has ended already.
     *
     * @throws WrongThreadException if this belongs to another thread
     */
    public void disconnect() {
        group.check();
        if (stage == Stage.CONNECTED) {
            beginEnd(CmFailures.of(new CmEvent.Disconnected(id, 0), this + ", by this side"));
        }
    }

    /**
     * Keeps an object of the program's, to have it at hand when a request completes.
     *
     * @param object the object; null for none
     */
    public void attach(Object object) {
        attachment = object;
    }

    /**
     * What the program has attached.
     *
     * @return the object; null if there is none
     */
    public Object attachment() {
        return attachment;
    }

    /** The class, and both addresses. */
    @Override
    public String toString() {
        return "GroupMember(" + localAddress + " to " + peerAddress + ")";
    }
}
