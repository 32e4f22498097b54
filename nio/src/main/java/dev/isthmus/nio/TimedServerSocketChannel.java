// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;

/** A channel with everything that a {@link ChannelServerSocket} needs. */
abstract class TimedServerSocketChannel extends ServerSocketChannel {

    TimedServerSocketChannel(SelectorProvider provider) {
        super(provider);
    }

    /** Accepts in blocking mode; at the deadline it throws a SocketTimeoutException, and never returns null. */
    abstract SocketChannel accept(long deadline) throws IOException;

    /** The address that it is or was bound to, even if it is closed; null if it never was. */
    abstract InetSocketAddress localOrNull();
}
