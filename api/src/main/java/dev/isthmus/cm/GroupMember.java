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
        LEAVING,
        GONE
    }

    /** The number of every member's last request. Other requests can have it only by chance. */
    private static final long LAST = ThreadLocalRandom.current().nextLong();

    private static final Duration FIRST_TRY = Duration.ofMillis(125);
    private static final Duration LONGEST_TRY = Duration.ofSeconds(2);

    private final ConnectionGroup group;
    private final ConnectionId id;
    private final InetSocketAddress to; // where to connect to; null if the peer connects
    private final CompletableFuture<GroupMember> wanted; // likewise
    private Duration tryTime = FIRST_TRY; // for resolving the address: see Connector
    private InetSocketAddress localAddress; // null before there is one, like the next field
    private InetSocketAddress peerAddress;
    private ConnectionParameters parameters;
    private QueuePair queuePair;
    private Timer deadline; // of the handshake; null after it
    private Timer flushed; // limits the flush at the end; null unless it is leaving
    private CmException end;
    private boolean posted; // its last request
    private Stage stage = Stage.CONNECTING;
    private Object attachment;

    /** A member whose peer connects, with the parameters that the peer asks for. */
    GroupMember(ConnectionGroup group, ConnectionId id, ConnectionParameters parameters) {
        this(group, id, null, null);
        this.parameters = parameters;
    }

    /** A member that this side connects to. */
    GroupMember(ConnectionGroup group, ConnectionId id, InetSocketAddress to, CompletableFuture<GroupMember> wanted) {
        this.group = group;
        this.id = id;
        this.to = to;
        this.wanted = wanted;
        id.attach(this);
    }

    boolean cameByItself() {
        return to == null;
    }

    /** Resolves the address: each try takes longer than the one before. */
    void resolve(InetSocketAddress from) {
        id.resolveAddress(from, to, tryTime);
        tryTime = tryTime.compareTo(LONGEST_TRY) < 0 ? tryTime.multipliedBy(2) : LONGEST_TRY;
    }

    /** Takes its queue pair. */
    void prepared(QueuePair made) {
        queuePair = made;
        made.attach(this);
    }

    /** Drops it when the timer fires, unless it is connected by then. */
    void limit(Timer timer) {
        deadline = timer;
    }

    boolean isConnecting() {
        return stage == Stage.CONNECTING;
    }

    /** Notes that it is established. If the peer connected, the event has no parameters. */
    void connected(ConnectionParameters granted) {
        endHandshake();
        stage = Stage.CONNECTED;
        if (!cameByItself()) {
            parameters = granted;
        }
        localAddress = id.localAddress();
        peerAddress = id.peerAddress();
        try {
            group.handler().connected(this);
        } finally {
            if (stage != Stage.GONE && wanted != null && !wanted.complete(this)) {
                disconnect(); // the caller has cancelled it
            }
        }
    }

    /** Begins to end it: outstanding requests are flushed, and {@link #isLast} is true for the final completion. */
    void leave(CmException how) {
        if (stage == Stage.LEAVING || stage == Stage.GONE) {
            return;
        }
        end = how;
        if (stage == Stage.CONNECTING) {
            finish();
            return;
        }
        stage = Stage.LEAVING;
        try {
            id.disconnect(); // tells or answers the peer
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

    /**
     * Posts its last request, if there is room by now. In ERR, requests complete in the order in which they
     * were posted.
     */
    boolean postLast() {
        posted = queuePair.tryPost(SendRequest.prepare(0).wrId(LAST).signaled(true));
        return posted;
    }

    /** Whether its last request is posted and has not completed. */
    boolean hasPostedLast() {
        return posted;
    }

    /** Notes that its last request has completed, or is no longer waited for. */
    void lastIsOver() {
        posted = false;
        endWait();
    }

    /** Whether this is the number of a last request. */
    static boolean isLast(long wrId) {
        return wrId == LAST;
    }

    /** Finishes it, once all of its sends have completed. */
    void finish() {
        boolean toldOf = stage != Stage.CONNECTING;
        stage = Stage.GONE;
        try {
            if (toldOf) {
                group.handler().ended(this, end);
            } else if (wanted != null) {
                wanted.completeExceptionally(end);
            }
        } finally {
            close();
        }
    }

    private void endHandshake() {
        if (deadline != null) {
            deadline.cancel();
            deadline = null;
            group.handshakeOver(this);
        }
    }

    private void endWait() {
        if (flushed != null) {
            flushed.cancel();
            flushed = null;
        }
    }

    /** Closes it when the timer fires, whether or not everything has completed. */
    void flushedBy(Timer timer) {
        flushed = timer;
    }

    /** Closes its objects in C. */
    void close() {
        stage = Stage.GONE;
        endHandshake();
        endWait();
        if (queuePair != null) {
            queuePair.close();
        }
        id.close();
        group.forget(this);
        if (wanted != null) {
            wanted.completeExceptionally(new IllegalStateException(group + " is closed")); // unless completed already
        }
    }

    ConnectionId id() {
        return id;
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
            leave(CmFailures.of(new CmEvent.Disconnected(id, 0), this + ", by this side"));
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
