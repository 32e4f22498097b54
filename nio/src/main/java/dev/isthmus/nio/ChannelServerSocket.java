package dev.isthmus.nio;

import java.io.IOException;
import java.net.ServerSocket;

/** A server channel as a {@link ServerSocket}, with time limits. */
final class ChannelServerSocket extends ServerSocket {

    private ChannelServerSocket() throws IOException {}

    @SuppressWarnings("DoNotCallSuggester")
    static ChannelServerSocket of(RdmaServerSocketChannel channel) {
        throw new UnsupportedOperationException(channel + " has no socket yet");
    }
}
