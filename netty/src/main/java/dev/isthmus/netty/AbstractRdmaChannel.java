// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.netty;

import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;

/** What server and socket channels share: their registration, and what they want to read. */
abstract class AbstractRdmaChannel extends AbstractChannel {

    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);

    private RdmaIoRegistration registration; // null until it is registered, like the next field
    private IoRegistration outerRegistration; // Netty's own around it
    private boolean isReading; // events are to lead to reads; used on the loop's thread
    private volatile boolean open = true;
    volatile InetSocketAddress local; // null until it is bound or connected

    AbstractRdmaChannel(Channel parent) {
        super(parent);
    }

    /** The address and port that a program names. */
    static InetSocketAddress checked(SocketAddress address) {
        if (!(address instanceof InetSocketAddress internet)) {
            throw new UnsupportedAddressTypeException();
        }
        if (internet.isUnresolved()) {
            throw new UnresolvedAddressException();
        }
        return internet;
    }

    final RdmaIoRegistration registration() {
        return registration;
    }

    @Override
    public final ChannelMetadata metadata() {
        return METADATA;
    }

    @Override
    public final boolean isOpen() {
        return open;
    }

    final void closed() {
        open = false;
    }

    @Override
    protected final SocketAddress localAddress0() {
        return local;
    }

    @Override
    protected final boolean isCompatible(EventLoop loop) {
        return loop instanceof IoEventLoop io && io.isCompatible(RdmaUnsafe.class);
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        ((IoEventLoop) eventLoop()).register((RdmaUnsafe) unsafe()).addListener(future -> {
            if (!future.isSuccess()) {
                promise.setFailure(future.cause());
                return;
            }
            IoRegistration outer = (IoRegistration) future.getNow();
            RdmaIoRegistration made = outer.attachment();
            try {
                registered(made);
            } catch (IllegalStateException e) {
                outer.cancel();
                promise.setFailure(e);
                return;
            }
            outerRegistration = outer;
            registration = made;
            promise.setSuccess();
        });
    }

    /** It is registered; throws IllegalStateException if it cannot be with this loop. */
    abstract void registered(RdmaIoRegistration made);

    @Override
    protected void doDeregister() {
        cancelRegistration();
    }

    final void cancelRegistration() {
        if (outerRegistration != null) {
            outerRegistration.cancel();
        }
    }

    @Override
    protected final void doBeginRead() {
        ((RdmaUnsafe) unsafe()).readPending = true;
        isReading = true;
        if (hasInput()) {
            registration.submit(RdmaIoOps.AGAIN);
        }
    }

    /** Whether a read would find something. */
    abstract boolean hasInput();

    /** Whether a read would find the end. */
    abstract boolean isAtEnd();

    @Override
    protected abstract RdmaUnsafe newUnsafe();

    abstract class RdmaUnsafe extends AbstractUnsafe implements RdmaIoHandle {

        boolean readPending; // a read was asked for, and nothing has come since

        @Override
        public final void close() {
            close(voidPromise());
        }

        @Override
        public final void handle(IoRegistration from, IoEvent event) {
            if (!isOpen()) {
                return;
            }
            releaseHeld();
            if (isWriteBlocked()) {
                flushOn();
            }
            if (isOpen() && hasInput() && (isReading || isAtEnd())) { // as with epoll, the end needs no read
                read();
                goOnOrStop(config());
            }
        }

        private void goOnOrStop(ChannelConfig config) {
            if (!readPending && !config.isAutoRead()) {
                isReading = false;
            } else if (hasInput()) {
                registration.submit(RdmaIoOps.AGAIN); // others first
            }
        }

        /** Releases buffers that were written, and that the device has read. */
        abstract void releaseHeld();

        /** Whether bytes wait until the peer gives room. */
        abstract boolean isWriteBlocked();

        /** Flushes what waits for room. */
        abstract void flushOn();

        /** Reads what there is, as much as its handle of reads allows in a turn. */
        abstract void read();

        final void connectedAs(ChannelPromise promise, boolean wasActive) {
            // The state first: a listener of the promise may close the channel, which was active nevertheless.
            boolean active = isActive();
            boolean promiseSet = promise.trySuccess();
            if (!wasActive && active) {
                pipeline().fireChannelActive();
            }
            if (!promiseSet) { // cancelled
                close(voidPromise());
            }
        }

        final Throwable annotated(Throwable cause, SocketAddress remote) {
            return annotateConnectException(cause, remote);
        }

        final void closeIfNotOpen() {
            closeIfClosed();
        }
    }
}
