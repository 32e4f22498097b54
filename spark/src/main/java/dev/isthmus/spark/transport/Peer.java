// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpPackedKey;
import dev.isthmus.ucx.UcpRemoteMemory;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Another process of the application, with one endpoint that carries both this process's requests and what it serves. A
 * failed peer stays failed; a restarted process is another peer. Confined to the transport's thread.
 */
final class Peer {

    private enum State {
        CONNECTING,
        READY,
        GONE
    }

    private final Transport transport;
    private final Node node;
    private final UcpEndpoint endpoint;
    private final Calls calls;
    private final Outbox outbox;
    private final Serving serving;
    private Figures.OfTransport figures; // null until it is ready
    private long moves; // messages that have arrived
    private State state = State.CONNECTING;
    private String why = "";
    private boolean silent; // a request was given up, and nothing has arrived since

    Peer(Transport transport, Node node) {
        this.transport = transport;
        this.node = node;
        this.calls = new Calls(transport, this);
        this.outbox = new Outbox(transport, this);
        this.serving = new Serving(transport, this, outbox);
        this.endpoint = transport.connect(node, status -> lose("UCX says " + status));
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
        transport.figures().bytesServed.add(bytes);
        figures.bytesServed.add(bytes);
    }

    /** Serving the peer had to wait. */
    void waited() {
        transport.figures().servingWaits.increment();
        figures.servingWaits.increment();
    }

    boolean isReady() {
        return state == State.READY;
    }

    boolean isGone() {
        return state == State.GONE;
    }

    /** Whether a request to it was given up, and it has sent nothing since. */
    boolean isSilent() {
        return silent;
    }

    /** A request to it was given up. Says hello again: the answer is the sign that requests may be sent again. */
    void fellSilent() {
        if (!silent) {
            silent = true;
            sayHello();
        }
    }

    /** Why the connection has ended. */
    String why() {
        return why;
    }

    /** Says hello, as this side connects. */
    void greet() {
        var _ = transport.schedule(transport.settings().connecting(), () -> {
            if (state == State.CONNECTING) {
                fail("it did not answer within "
                        + transport.settings().connecting().toMillis() + " ms");
            }
        });
        sayHello();
    }

    private void sayHello() {
        send(new Message.Hello(
                transport.settings().sliceBytes(), transport.node().address()));
    }

    /** Handles a message; an invalid one ends the connection. */
    void handle(Message message) {
        if (isGone()) {
            return;
        }
        silent = false;
        moves++;
        switch (message) {
            case Message.Hello hello -> {
                checkSlices(hello.sliceBytes());
                send(new Message.Welcome(transport.settings().sliceBytes()));
                becomeReady();
            }
            case Message.Welcome welcome -> {
                checkSlices(welcome.sliceBytes());
                becomeReady();
            }
            case Message.Fetch fetch -> {
                BadMessageException.unless(isReady(), "a request before the connection is established");
                serving.onFetch(fetch);
            }
            case Message.Cancel cancel -> serving.onCancel(cancel);
            case Message.Release release -> serving.onRelease(release);
            case Message.Data data -> calls.onData(data);
            case Message.Slice slice -> calls.onSlice(slice);
            case Message.Failed failed -> calls.onFailed(failed);
        }
    }

    private void checkSlices(int bytes) {
        int mine = transport.settings().sliceBytes();
        BadMessageException.unless(
                bytes == mine,
                "its slices have " + bytes + " bytes, and here they have " + mine + ": set the same size everywhere");
    }

    private void becomeReady() {
        if (state == State.CONNECTING) {
            state = State.READY;
            figures = transport.connected(this, endpoint);
            calls.ready();
            watch(-1);
        }
    }

    /**
     * Gives up a peer that takes nothing for a while, though there is something for it: others need the memory, too.
     *
     * @param before the value of {@link #moves} last time; -1 if there was nothing for the peer
     */
    private void watch(long before) {
        var _ = transport.schedule(transport.settings().patience(), () -> {
            long now = moves + outbox.ended() + serving.released();
            boolean holds = outbox.underWay() + serving.slicesOut() > 0;
            if (isGone()) {
                return;
            }
            if (holds && now == before) {
                fail("it has taken nothing for "
                        + transport.settings().patience().toMillis() + " ms");
            } else {
                watch(holds ? now : -1);
            }
        });
    }

    /** Sends a message as soon as there is memory for it. */
    void send(Message message) {
        outbox.send(message);
    }

    /** Sends bytes, which the caller may reuse when the future ends. */
    CompletableFuture<Void> send(ByteBuffer bytes, MemorySegment segment) {
        return transport.send(endpoint, segment.asSlice(0, bytes.limit()));
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
     * Tells everything that waits for the connection. Memory that UCX still uses is released once UCX no longer
     * uses it.
     */
    private void end(String reason, boolean dead) {
        if (isGone()) {
            return;
        }
        state = State.GONE;
        why = reason;
        transport.lost(this, reason);
        serving.end();
        outbox.end();
        calls.end(reason, dead);
        var _ = endpoint.closeAsync(Duration.ZERO).whenComplete((_, _) -> serving.releaseAll());
    }

    /** Ends the connection gracefully, as this process ends. */
    CompletableFuture<Void> close() {
        if (isGone()) {
            return endpoint.closeAsync();
        }
        state = State.GONE;
        why = "this process ends";
        serving.end();
        outbox.end();
        calls.end(why, true);
        return endpoint.closeAsync().whenComplete((_, _) -> serving.releaseAll());
    }

    @Override
    public String toString() {
        return "peer " + Long.toHexString(node.id());
    }
}
