// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;

/** A channel with everything that a {@link ChannelSocket} needs. */
abstract class TimedSocketChannel extends SocketChannel {

    TimedSocketChannel(SelectorProvider provider) {
        super(provider);
    }

    /** Connects; in blocking mode it throws a SocketTimeoutException at the deadline, and is closed. */
    abstract boolean connect(SocketAddress remote, long deadline) throws IOException;

    /** Reads in blocking mode into a buffer with room and an array; returns 0 at the deadline. */
    abstract int read(ByteBuffer to, long deadline) throws IOException;

    /** How many bytes can be read without waiting. */
    abstract int available() throws IOException;

    /** The address that it is or was bound to, even if it is closed; null if it never was. */
    abstract InetSocketAddress localOrNull();

    /** The address that it is or was connected to, even if it is closed; null if it never was. */
    abstract InetSocketAddress remoteOrNull();

    abstract boolean isInputShut();

    abstract boolean isOutputShut();
}
