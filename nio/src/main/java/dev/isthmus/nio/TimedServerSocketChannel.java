// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;

/** A channel that has all of what a {@link ChannelServerSocket} needs. */
abstract class TimedServerSocketChannel extends ServerSocketChannel {

    TimedServerSocketChannel(SelectorProvider provider) {
        super(provider);
    }

    /** Accepts in blocking mode; null is never returned, but a SocketTimeoutException thrown. */
    abstract SocketChannel accept(long deadline) throws IOException;

    /** Where it is bound or was, whether it is closed or not; null if it never was. */
    abstract InetSocketAddress localOrNull();
}
