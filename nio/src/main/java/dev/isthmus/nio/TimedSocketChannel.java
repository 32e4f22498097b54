// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;

/** A channel that has all of what a {@link ChannelSocket} needs. */
abstract class TimedSocketChannel extends SocketChannel {

    TimedSocketChannel(SelectorProvider provider) {
        super(provider);
    }

    /** Connects; in blocking mode it throws a SocketTimeoutException at the deadline, and is closed. */
    abstract boolean connect(SocketAddress remote, long deadline) throws IOException;

    /** Reads in blocking mode into a buffer that has room, and an array; 0 at the deadline. */
    abstract int read(ByteBuffer to, long deadline) throws IOException;

    /** How many bytes a read would not wait for. */
    abstract int available() throws IOException;

    /** Where it is bound or was, whether it is closed or not; null if it never was. */
    abstract InetSocketAddress localOrNull();

    /** Whom it is connected to or was, whether it is closed or not; null if it never was. */
    abstract InetSocketAddress remoteOrNull();

    abstract boolean isInputShut();

    abstract boolean isOutputShut();
}
