// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.RdmaException;
import dev.isthmus.cm.CmEvent;
import dev.isthmus.cm.ConnectionId;
import dev.isthmus.cm.ConnectionParameters;
import dev.isthmus.cm.PortSpace;
import dev.isthmus.loop.Timer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A connection that this side asks for, until it is established. Runs on the service's thread. */
final class Connecting {

    private static final Duration FIRST_TRY = Duration.ofMillis(125); // see dev.isthmus.cm.Connector
    // rdma_cm is not notified that the kernel has given up: Linux asks for a neighbour for three seconds, and TCP then
    // fails. The tries take longer than that.
    private static final Duration LAST_TRY = Duration.ofSeconds(2);
    private static final int ETIMEDOUT = 110;

    private final Service service;
    private final StreamGroup group; // null for none
    private final Bound from; // null for any address
    private final InetSocketAddress to;
    private final StreamOptions options;
    private final int typeOfService;
    private final Duration deadline;
    private final Wanted wanted = new Wanted();
    private Duration tryTime = FIRST_TRY;
    private ConnectionId id;
    private Link link; // null before it is created, and after the stream has been handed over
    private Stream stream;
    private Timer limit;

    /** Cancelling it ends the attempt. */
    private final class Wanted extends CompletableFuture<Stream> {

        @Override
        public boolean cancel(boolean mayInterrupt) {
            boolean cancelled = super.cancel(mayInterrupt);
            if (cancelled) {
                service.thread().execute(Connecting.this::giveUp);
            }
            return cancelled;
        }
    }

    Connecting(
            Service service,
            StreamGroup group,
            Bound from,
            InetSocketAddress to,
            StreamOptions options,
            int typeOfService,
            Duration deadline) {
        this.service = service;
        this.group = group;
        this.from = from;
        this.to = to;
        this.options = options;
        this.typeOfService = typeOfService;
        this.deadline = deadline;
    }

    CompletableFuture<Stream> wanted() {
        return wanted;
    }

    void begin() {
        if (wanted.isDone()) { // cancelled
            if (from != null) {
                from.close();
            }
            return;
        }
        try {
            id = from == null ? service.channel().createId(PortSpace.TCP) : from.forPeer(to);
            id.attach(this);
            if (typeOfService != 0) {
                id.typeOfService(typeOfService);
            }
            limit = service.loop().schedule(deadline, () -> fail(CmFailure.timedOut(to, deadline)));
            resolve();
        } catch (RdmaException e) {
            fail(CmFailure.of(e, to));
        } catch (IOException e) {
            fail(e);
        }
    }

    private void resolve() {
        id.resolveAddress(null, to, tryTime);
    }

    private boolean isTriedAgain() {
        tryTime = tryTime.multipliedBy(2);
        return tryTime.compareTo(LAST_TRY) <= 0;
    }

    void onEvent(CmEvent event) {
        try {
            switch (event) {
                case CmEvent.AddressResolved resolved -> id.resolveRoute(deadline);
                case CmEvent.AddressError error when error.status() == -ETIMEDOUT && isTriedAgain() -> resolve();
                case CmEvent.RouteResolved resolved -> connect();
                case CmEvent.ConnectResponse response
                when link != null -> {
                    stream.ready();
                    established(response.parameters());
                }
                case CmEvent.Established established -> established(established.parameters());
                default -> fail(CmFailure.of(event, to));
            }
        } catch (RdmaException e) {
            fail(CmFailure.of(e, to));
        } catch (IOException e) {
            fail(e);
        }
    }

    private void connect() throws IOException {
        ConnectionId own = id;
        id = null; // it belongs to the link from here on
        link = new Link(service, own, options, group, true);
        stream = new Stream(link);
        own.attach(this);
        own.connect(config -> {
            if (link.isManual()) {
                config.queuePair(link.queuePair().qpNum(), false);
            }
            config.privateData(stream.greeting())
                    .flowControl(true)
                    .initiatorDepth(link.isIwarp() ? 1 : 0) // iWARP begins with a READ: see rsocket.c
                    .responderResources(link.isIwarp() ? 1 : 0)
                    .retryCount(6) // rsocket's 7 means forever on some versions of Soft-RoCE
                    .rnrRetryCount(7);
        });
    }

    private void established(ConnectionParameters granted) throws IOException {
        ConnectionData peer = ConnectionData.read(granted.privateData(), options.protocol());
        stream.connected(peer, true);
        link.id().attach(stream);
        limit.cancel();
        Stream made = stream;
        link = null;
        if (!wanted.complete(made)) {
            made.close(true); // the caller has cancelled it
        }
    }

    private void fail(IOException why) {
        giveUp();
        wanted.completeExceptionally(why);
    }

    private void giveUp() {
        if (limit != null) {
            limit.cancel();
        }
        if (link != null) {
            link.id().attach(null);
            if (stream == null) {
                link.close();
            } else {
                stream.release();
            }
            link = null;
        }
        if (id != null) {
            id.close();
            id = null;
        }
    }
}
