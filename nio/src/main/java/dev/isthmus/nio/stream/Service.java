// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.RdmaException;
import dev.isthmus.RdmaUnavailableException;
import dev.isthmus.cm.CmEvent;
import dev.isthmus.cm.EventChannel;
import dev.isthmus.loop.EventLoop;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * The thread that establishes connections, notices their ends, and destroys those that are closed: one for all sockets
 * of the process, started with the first socket. It carries no data.
 */
public final class Service {

    private static final System.Logger LOG = System.getLogger("dev.isthmus.nio");

    private static volatile Service instance; // null until it could be started

    private final EventLoop loop;
    private final EventChannel channel;
    private final KeepAlives keepAlives;

    private Service(EventChannel channel, EventLoop loop) {
        this.channel = channel;
        this.loop = loop;
        keepAlives = new KeepAlives(loop);
        loop.add(channel, this::onEvent);
    }

    /**
     * The service of this process. If it cannot be started, the next call tries again.
     *
     * @return the service
     * @throws RdmaUnavailableException if librdmacm, the kernel's rdma_cm or a device is missing
     * @throws IOException if the process has too many open files
     */
    public static Service get() throws IOException {
        Service one = instance;
        return one != null ? one : startedOnce();
    }

    private static synchronized Service startedOnce() throws IOException {
        if (instance == null) {
            try {
                instance = started();
            } catch (RdmaUnavailableException e) {
                throw e;
            } catch (RdmaException e) {
                throw new IOException(e.getMessage(), e);
            }
        }
        return instance;
    }

    private static Service started() {
        EventChannel channel = EventChannel.open();
        EventLoop loop = null;
        boolean started = false;
        try {
            loop = EventLoop.start(config -> config.thread(
                            Thread.ofPlatform().daemon().name("isthmus-nio").factory())
                    .exceptionHandler(e -> LOG.log(Level.ERROR, "sockets over RDMA go on after an error", e)));
            var service = new Service(channel, loop);
            started = true;
            return service;
        } finally {
            if (!started && loop != null) {
                loop.close();
            }
            if (!started) {
                channel.close();
            }
        }
    }

    /**
     * Begins to connect.
     *
     * @param from the local address, which is released with the connection; null for any
     * @param to the peer's address
     * @param options the options of the stream
     * @param typeOfService DSCP and ECN of its packets, 0 to 255
     * @param deadline how long it may take
     * @return completes with the stream, or an {@link java.io.IOException}; cancelling it ends the attempt
     */
    public CompletableFuture<Stream> connect(
            Bound from, InetSocketAddress to, StreamOptions options, int typeOfService, Duration deadline) {
        return connect(null, from, to, options, typeOfService, deadline);
    }

    /**
     * Begins to connect a stream of a group; otherwise like the other method of this name.
     *
     * @param group the group; null if the stream is to be alone
     * @param from as there
     * @param to as there
     * @param options as there
     * @param typeOfService as there
     * @param deadline as there
     * @return as there
     */
    public CompletableFuture<Stream> connect(
            StreamGroup group,
            Bound from,
            InetSocketAddress to,
            StreamOptions options,
            int typeOfService,
            Duration deadline) {
        var connecting = new Connecting(this, group, from, to, options, typeOfService, deadline);
        loop.execute(connecting::begin);
        return connecting.wanted();
    }

    /**
     * Says whether an idle stream probes its peer from time to time. Does not block.
     *
     * @param stream the stream
     * @param idle after how long; null if it does not
     */
    public void keepAlive(Stream stream, Duration idle) {
        Duration own = stream.attention();
        Duration period = own != null && (idle == null || own.compareTo(idle) < 0) ? own : idle;
        loop.execute(() -> {
            if (period != null) {
                keepAlives.add(stream, period);
            } else {
                keepAlives.remove(stream);
            }
        });
    }

    /** For the service's thread. */
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

    /** Handles all pending events, on the service's thread. */
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
            default -> LOG.log(Level.DEBUG, () -> event + " belongs to no known connection");
        }
    }

    private void onRequest(CmEvent.ConnectRequest request) {
        if (request.listener().attachment() instanceof StreamListener listening) {
            listening.onRequest(request);
        } else {
            request.id().close(); // nobody listens any more: closing the id rejects the request
        }
    }

    private void onEvent(CmEvent event, Stream stream) {
        switch (event) {
            case CmEvent.Disconnected gone -> {
                stream.peerDisconnected();
                stream.disconnect(); // answers it
                stream.advanceCloseFurther();
            }
            case CmEvent.DeviceRemoval removal -> stream.disconnected("the device is being removed");
            default -> LOG.log(Level.DEBUG, () -> stream + " ignores " + event);
        }
    }

    /** Goes on with the close of a stream. */
    void continueClose(Stream stream) {
        loop.execute(() -> {
            keepAlives.remove(stream);
            new StreamClose(this, stream).begin();
        });
    }
}
