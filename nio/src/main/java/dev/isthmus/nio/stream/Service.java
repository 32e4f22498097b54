// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.CmException;
import dev.isthmus.cm.CmEvent;
import dev.isthmus.cm.ConnectionId;
import dev.isthmus.cm.EventChannel;
import dev.isthmus.loop.EventLoop;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * The thread that makes connections, hears of their ends, and lets go of those that are closed: one for all sockets of the
 * process, started with the first. It carries no data.
 */
public final class Service {

    private static final System.Logger LOG = System.getLogger("dev.isthmus.nio");

    private static final class Holder {
        static final Service INSTANCE = new Service();
    }

    private final EventLoop loop;
    private final EventChannel channel;
    private final KeepAlives keepAlives;

    private Service() {
        channel = EventChannel.open();
        loop = EventLoop.start(config -> config.thread(
                        Thread.ofPlatform().daemon().name("isthmus-nio").factory())
                .exceptionHandler(e -> LOG.log(Level.ERROR, "sockets over RDMA go on after an error", e)));
        keepAlives = new KeepAlives(loop, KeepAlives.PERIOD);
        loop.add(channel, this::onEvent);
    }

    /**
     * The one of this process.
     *
     * @return the service
     * @throws dev.isthmus.RdmaUnavailableException if librdmacm or the kernel's rdma_cm is missing, or any device
     */
    public static Service get() {
        return Holder.INSTANCE;
    }

    /**
     * Begins to connect.
     *
     * @param from the local address, which is let go of with the connection; null for any
     * @param to the peer's address
     * @param options how the stream is to be
     * @param deadline how long it may take
     * @return completed with the stream, or an {@link java.io.IOException}; to cancel it ends the try
     */
    public CompletableFuture<Stream> connect(
            Bound from, InetSocketAddress to, StreamOptions options, Duration deadline) {
        var connecting = new Connecting(this, from, to, options, deadline);
        loop.execute(connecting::begin);
        return connecting.wanted();
    }

    /**
     * Says whether a stream asks from time to time whether its peer is still there, when nothing else happens. Does not
     * block.
     *
     * @param stream the stream
     * @param on whether it does
     */
    public void keepAlive(Stream stream, boolean on) {
        loop.execute(() -> {
            if (on) {
                keepAlives.add(stream);
            } else {
                keepAlives.remove(stream);
            }
        });
    }

    /** On the thread of the service. */
    KeepAlives keepAlives() {
        return keepAlives;
    }

    EventLoop loop() {
        return loop;
    }

    EventChannel channel() {
        return channel;
    }

    /** The thread of the service. */
    Executor thread() {
        return loop;
    }

    /** Handles all events that wait, on the thread of the service. */
    void takeEvents() {
        for (CmEvent event = channel.poll(); event != null; event = channel.poll()) {
            onEvent(event);
        }
    }

    private void onEvent(CmEvent event) {
        switch (event) {
            case CmEvent.ConnectRequest request -> onRequest(request);
            case CmEvent one when one.id().attachment() instanceof Connecting connecting -> connecting.onEvent(one);
            case CmEvent one when one.id().attachment() instanceof Handshake handshake -> handshake.onEvent(one);
            case CmEvent one when one.id().attachment() instanceof Stream stream -> onEvent(one, stream);
            default -> LOG.log(Level.DEBUG, () -> event + " is of nothing that is there");
        }
    }

    private void onRequest(CmEvent.ConnectRequest request) {
        if (request.listener().attachment() instanceof Listening listening) {
            listening.onRequest(request);
        } else {
            request.id().close(); // nobody listens any more: this rejects it
        }
    }

    private void onEvent(CmEvent event, Stream stream) {
        switch (event) {
            case CmEvent.Disconnected gone -> {
                stream.disconnected("the peer has gone without a word");
                disconnectNow(event.id()); // the answer
                stream.goneWhileLeaving();
            }
            case CmEvent.DeviceRemoval removal -> stream.disconnected("the device is being removed");
            default -> LOG.log(Level.DEBUG, () -> stream + " takes no notice of " + event);
        }
    }

    /** Ends a connection, from any thread. */
    void disconnect(ConnectionId id) {
        loop.execute(() -> disconnectNow(id));
    }

    /** Ends a connection, on the thread of the service. */
    static void disconnectNow(ConnectionId id) {
        try {
            id.disconnect();
        } catch (CmException | IllegalStateException e) {
            LOG.log(Level.DEBUG, () -> id + " was not connected any more", e);
        }
    }

    /** Goes on with the close of a stream. */
    void farewell(Stream stream) {
        loop.execute(() -> {
            keepAlives.remove(stream);
            new Farewell(this, stream).begin();
        });
    }
}
