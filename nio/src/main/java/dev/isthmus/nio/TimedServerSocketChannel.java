// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.function.Consumer;

/** A channel with everything that a {@link ChannelServerSocket} needs. */
abstract class TimedServerSocketChannel extends ServerSocketChannel {

    /** Where connections come from. */
    interface Source<C> {

        /** Waits for one until a deadline; returns null if none arrives in time. */
        C take(long deadline) throws IOException, InterruptedException;
    }

    TimedServerSocketChannel(SelectorProvider provider) {
        super(provider);
    }

    /** Accepts in blocking mode; at the deadline it throws a SocketTimeoutException, and never returns null. */
    abstract SocketChannel accept(long deadline) throws IOException;

    /** The address that it is or was bound to, even if it is closed; null if it never was. */
    abstract InetSocketAddress localOrNull();

    /** Waits for a connection. A close ends that; a connection that arrives just then is dropped. */
    final <C> C take(Source<C> from, long deadline, Consumer<C> drop) throws IOException {
        C taken = null;
        boolean completed = false;
        try {
            begin();
            taken = from.take(deadline);
            completed = true;
        } catch (InterruptedException e) {
            completed = true; // otherwise end() would not know why it is closed
            close();
            Thread.currentThread().interrupt();
            throw new ClosedByInterruptException();
        } finally {
            boolean given = false;
            try {
                end(completed);
                given = true;
            } finally {
                if (!given && taken != null) {
                    drop.accept(taken);
                }
            }
        }
        if (taken == null) {
            throw new SocketTimeoutException("Accept timed out");
        }
        return taken;
    }
}
