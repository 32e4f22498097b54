// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpPackedKey;
import dev.isthmus.ucx.UcpRemoteMemory;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A connection to another process of the application: one endpoint, which carries both this process's requests and what
 * it serves. A failed connection stays failed; another one can follow it. Each side gives the connection a number, by
 * which it tells what comes late from an earlier one. Confined to the transport's thread.
 */
final class Peer {

    private enum State {
        CONNECTING,
        READY,
        GONE
    }

    /** As many connections to a process may begin within the time that one may take. */
    private static final int MAX_TRIES = 10;

    /**
     * A connection to a process that may be alive is closed when that process has taken what UCX has begun to send. UCX
     * does not survive that it goes on after a close that dropped part of a message (docs/ucx-faults.md).
     */
    private static final Duration NO_CLOSE_LIMIT = Duration.ofDays(10_000);

    private final TransportContext context;
    private final Peers peers;
    private final Node node;
    private final long number;
    private final long triedSince; // when the first of these connections began
    private final int tries;
    private final long earlier; // the peer's highest number of earlier connections; 0 if none is known
    private final UcpEndpoint endpoint;
    private final Calls calls;
    private final Outbox outbox;
    private final Serving serving;
    private PeerMessage.Header header; // of what is sent
    private Figures.OfTransport figures; // null until it is ready
    private boolean overTcp;
    private long messagesReceived; // messages that have arrived
    private State state = State.CONNECTING;
    private String why = ""; // it has ended
    private String whyNotReady; // requests do not wait for it; empty if they do
    private boolean stalled; // it has ended because the process took nothing
    private boolean unresponsive; // a request was given up, and nothing has arrived since

    /**
     * Begins to connect.
     *
     * @param number higher than that of each earlier connection
     * @param before the last connection to the same process; null if there was none
     */
    Peer(TransportContext context, Peers peers, Node node, long number, Peer before) {
        this.context = context;
        this.peers = peers;
        this.node = node;
        this.number = number;
        this.header = new PeerMessage.Header(context.connector().node().id(), 0);
        this.whyNotReady = before == null ? "" : before.why;
        boolean again = before != null && before.isRecent();
        this.tries = again ? before.tries + 1 : 1;
        this.triedSince = again ? before.triedSince : System.nanoTime();
        this.earlier = before == null ? 0 : Math.max(before.earlier, before.header.connection());
        this.calls = new Calls(context, this);
        this.outbox = new Outbox(context.memory().messages(), this);
        this.serving = new Serving(context, this, outbox);
        this.endpoint = context.connector().connect(node, status -> lose("UCX says " + status));
    }

    Node node() {
        return node;
    }

    /** The header of messages to it. */
    PeerMessage.Header header() {
        return header;
    }

    private boolean isRecent() {
        return System.nanoTime() - triedSince < context.settings().connecting().toNanos();
    }

    /** Whether another connection may follow this one already. */
    boolean mayFollow() {
        return tries < MAX_TRIES || !isRecent();
    }

    /** Whether a process that says this hello has begun another connection since. */
    boolean isBefore(PeerMessage.Hello hello) {
        return hello.number() > Math.max(earlier, header.connection()) && (header.connection() != 0 || isGone());
    }

    /** Whether a message is of this connection. */
    boolean isMeant(PeerMessage.Header of, PeerMessage message) {
        if (message instanceof PeerMessage.Hello hello) {
            return header.connection() == 0 ? hello.number() > earlier : hello.number() == header.connection();
        }
        return of.connection() == number;
    }

    Calls calls() {
        return calls;
    }

    Serving serving() {
        return serving;
    }

    /** The counters of the UCX transport that reaches it; null until it is ready. */
    Figures.OfTransport figures() {
        return figures;
    }

    /** The peer has fetched this many bytes of blocks. */
    void served(long bytes) {
        context.figures().bytesServed.add(bytes);
        figures.bytesServed.add(bytes);
    }

    /** Serving the peer had to wait. */
    void waited() {
        context.figures().servingWaits.increment();
        figures.servingWaits.increment();
    }

    /**
     * Whether a get copies the peer's memory byte after byte, on the peer's thread: so UCX answers one over TCP, where the
     * peer sends.
     */
    boolean getsInOrder() {
        return overTcp;
    }

    boolean isReady() {
        return state == State.READY;
    }

    boolean isGone() {
        return state == State.GONE;
    }

    /** Whether it has ended because the process took nothing: that process does not know of the end. */
    boolean hasStalled() {
        return stalled;
    }

    /** Why requests are refused, so that they go by other means; null if they are not. */
    String refusal() {
        return switch (state) {
            case CONNECTING -> whyNotReady.isEmpty() ? null : "there is no connection to " + this + ": " + whyNotReady;
            case READY -> unresponsive ? this + " did not answer the last request, and has sent nothing since" : null;
            case GONE -> "the connection to " + this + " has failed: " + why;
        };
    }

    /** A request to it was given up. Says hello again: the answer is the sign that requests may be sent again. */
    void requestTimedOut() {
        if (!unresponsive) {
            unresponsive = true;
            sayHello();
        }
    }

    /** Says hello, as this side connects. */
    void sendFirstHello() {
        var _ = context.tasks().schedule(context.settings().connecting(), this::late);
        sayHello();
    }

    /**
     * From now on, requests wait no longer. The connection still does, for a process that goes on later: UCX may not
     * survive that it is closed meanwhile (docs/ucx-faults.md).
     */
    private void late() {
        if (state == State.CONNECTING && whyNotReady.isEmpty()) {
            whyNotReady = "it did not answer within "
                    + context.settings().connecting().toMillis() + " ms";
            context.log().log(refusal());
            calls.refuseWaiting(refusal());
        }
    }

    private void sayHello() {
        send(new PeerMessage.Hello(
                context.settings().sliceBytes(),
                number,
                context.connector().node().address()));
    }

    /** Handles a message; an invalid one ends the connection. */
    void handle(PeerMessage message) {
        if (isGone()) {
            return;
        }
        unresponsive = false;
        messagesReceived++;
        switch (message) {
            case PeerMessage.Hello hello -> {
                establish(hello.number(), hello.sliceBytes());
                send(new PeerMessage.Welcome(context.settings().sliceBytes(), number));
                becomeReady();
            }
            case PeerMessage.Welcome welcome -> {
                establish(welcome.number(), welcome.sliceBytes());
                becomeReady();
            }
            case PeerMessage.Fetch fetch -> {
                BadMessageException.unless(isReady(), "a request before the connection is established");
                serving.onFetch(fetch);
            }
            case PeerMessage.Cancel cancel -> serving.onCancel(cancel);
            case PeerMessage.Release release -> serving.onRelease(release);
            case PeerMessage.Data data -> calls.onData(data);
            case PeerMessage.Slice slice -> calls.onSlice(slice);
            case PeerMessage.Failed failed -> calls.onFailed(failed);
        }
    }

    private void establish(long theirs, int bytes) {
        BadMessageException.unless(
                header.connection() == 0 || header.connection() == theirs, "it has begun another connection");
        header = new PeerMessage.Header(header.from(), theirs);
        int mine = context.settings().sliceBytes();
        BadMessageException.unless(
                bytes == mine,
                "its slices have " + bytes + " bytes, and here they have " + mine + ": set the same size everywhere");
    }

    private void becomeReady() {
        if (state == State.CONNECTING) {
            state = State.READY;
            List<String> lanes = NodeConnector.lanes(endpoint);
            overTcp = lanes.stream().allMatch(lane -> lane.startsWith("tcp/"));
            figures = context.figures().connected(lanes);
            context.log().log("connected to " + this + " over " + String.join(", ", lanes));
            calls.ready();
            watch(-1);
        }
    }

    /**
     * Gives up a peer that takes nothing for a while, though there is something for it: others need the memory, too.
     *
     * @param before the value of {@link #messagesReceived} last time; -1 if there was nothing for the peer
     */
    private void watch(long before) {
        var _ = context.tasks().schedule(context.settings().patience(), () -> {
            long now = messagesReceived + outbox.ended() + serving.released();
            boolean holds = outbox.underWay() + serving.slicesOut() > 0;
            if (isGone()) {
                return;
            }
            if (holds && now == before) {
                stalled = true;
                fail("it has taken nothing for " + context.settings().patience().toMillis() + " ms");
            } else {
                watch(holds ? now : -1);
            }
        });
    }

    /** Sends a message as soon as there is memory for it. */
    void send(PeerMessage message) {
        outbox.send(message);
    }

    /** Sends bytes, which the caller may reuse when the future ends. */
    CompletableFuture<Void> send(ByteBuffer bytes, MemorySegment segment) {
        return context.connector().send(endpoint, node, segment, bytes.limit());
    }

    UcpRemoteMemory unpack(UcpPackedKey key) {
        return endpoint.unpack(key);
    }

    /** UCX says that the process is dead or unreachable: requests to it fail. */
    void lose(String reason) {
        end(reason, true);
    }

    /** Ends the connection to a process that may be alive: what was asked of it is fetched by other means. */
    void fail(String reason) {
        end(reason, false);
    }

    /**
     * Tells everything that waits for the connection. Messages that UCX has begun to send keep their memory until it
     * has sent them.
     */
    private void end(String reason, boolean dead) {
        if (isGone()) {
            return;
        }
        context.figures().peersFailed.increment();
        if (state != State.CONNECTING || !reason.equals(whyNotReady)) { // otherwise the log has it
            context.log().log("the connection to " + this + " has ended: " + reason);
        }
        state = State.GONE;
        why = reason;
        serving.end();
        outbox.end();
        calls.end(reason, dead);
        peers.failed(this);
        var _ = endpoint.closeAsync(dead ? Duration.ZERO : NO_CLOSE_LIMIT).whenComplete((_, _) -> peers.closed(this));
    }

    /** Ends the connection gracefully, as this process ends. */
    CompletableFuture<Void> close() {
        if (isGone()) {
            return endpoint.closeAsync(Duration.ZERO);
        }
        state = State.GONE;
        why = "this process ends";
        serving.end();
        outbox.end();
        calls.end(why, true);
        return endpoint.closeAsync();
    }

    @Override
    public String toString() {
        return "peer " + Long.toHexString(node.id());
    }
}
