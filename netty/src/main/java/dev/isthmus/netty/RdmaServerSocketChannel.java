// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.netty;

import dev.isthmus.nio.stream.Loopback;
import dev.isthmus.nio.stream.StreamListener;
import dev.isthmus.nio.stream.StreamRequest;
import dev.isthmus.nio.stream.Watcher;
import dev.isthmus.nio.stream.Watchers;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.ServerSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

/**
 * A server over RDMA, for an event loop with an {@link RdmaIoHandler}. Peers speak rsocket's wire protocol.
 *
 * <p>A peer is accepted when this reads. The handshake with it ends in the background, on the event loop with which the
 * accepted channel is registered: the channel is active before that, what it writes waits, and it is closed with an
 * exception if the peer does not finish within ten seconds (system property {@code isthmus.nio.handshakeSeconds}).
 * Bound to loopback, it listens at the first address of a device, and admits only this machine.
 */
public final class RdmaServerSocketChannel extends AbstractRdmaChannel implements ServerSocketChannel {

    private final RdmaServerSocketChannelConfig config = new RdmaServerSocketChannelConfig(this);
    private final AtomicBoolean told = new AtomicBoolean(); // the loop will look for requests
    private volatile StreamListener listener; // null until it is bound

    /** Creates a channel that is not bound. */
    public RdmaServerSocketChannel() {
        super(null);
    }

    @Override
    public RdmaServerSocketChannelConfig config() {
        return config;
    }

    @Override
    public boolean isActive() {
        return isOpen() && listener != null;
    }

    @Override
    public InetSocketAddress localAddress() {
        return (InetSocketAddress) super.localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return null;
    }

    @Override
    protected SocketAddress remoteAddress0() {
        return null;
    }

    @Override
    void registered(RdmaIoRegistration made) {
        // Requests come from the service's thread.
    }

    @Override
    protected void doBind(SocketAddress address) throws Exception {
        InetSocketAddress named = checked(address);
        Predicate<InetAddress> admits =
                named.getAddress().isLoopbackAddress() ? Loopback::isOfThisMachine : anyone -> true;
        StreamListener made = StreamListener.listenForRequests(
                Loopback.local(named), config.isReuseAddress(), config.protocol(), admits);
        var watchers = new Watchers();
        watchers.add(new Requests());
        made.watchedBy(watchers);
        local = new InetSocketAddress(named.getAddress(), made.localAddress().getPort());
        listener = made;
    }

    private final class Requests implements Watcher {

        @Override
        public void changed() {
            if (!told.getAndSet(true)) {
                eventLoop().execute(() -> {
                    told.set(false);
                    ((ServerUnsafe) unsafe()).handle(registration(), RdmaIoEvent.CHANGED);
                });
            }
        }

        @Override
        public void closing() {}
    }

    @Override
    boolean hasInput() {
        StreamListener from = listener;
        return from != null && from.isReady();
    }

    @Override
    boolean isAtEnd() {
        return false;
    }

    @Override
    protected void doClose() throws Exception {
        closed();
        doDeregister();
        if (listener != null) {
            listener.close();
        }
    }

    @Override
    protected void doDisconnect() {
        throw new UnsupportedOperationException();
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer in) {
        throw new UnsupportedOperationException();
    }

    @Override
    protected Object filterOutboundMessage(Object message) {
        throw new UnsupportedOperationException();
    }

    @Override
    protected RdmaUnsafe newUnsafe() {
        return new ServerUnsafe();
    }

    @SuppressWarnings("deprecation") // Netty's own transports use this handle
    private final class ServerUnsafe extends RdmaUnsafe {

        @Override
        public void connect(SocketAddress remote, SocketAddress from, ChannelPromise promise) {
            promise.setFailure(new UnsupportedOperationException());
        }

        @Override
        void releaseHeld() {
            // nothing is written
        }

        @Override
        public boolean confirmHeld() {
            return false;
        }

        @Override
        boolean isWriteBlocked() {
            return false;
        }

        @Override
        void flushOn() {
            // nothing is written
        }

        @Override
        void read() {
            RecvByteBufAllocator.Handle handle = recvBufAllocHandle();
            handle.reset(config);
            handle.attemptedBytesRead(1);
            do {
                StreamRequest request = listener.nextRequest();
                handle.lastBytesRead(request == null ? -1 : 1);
                if (request == null) {
                    break;
                }
                handle.incMessagesRead(1);
                readPending = false;
                pipeline().fireChannelRead(new RdmaSocketChannel(RdmaServerSocketChannel.this, request));
            } while (isOpen() && handle.continueReading());
            handle.readComplete();
            pipeline().fireChannelReadComplete();
        }
    }
}
