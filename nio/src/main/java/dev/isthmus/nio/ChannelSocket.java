package dev.isthmus.nio;

import java.net.Socket;

/** A channel as a {@link Socket}, with time limits. */
final class ChannelSocket extends Socket {

    private ChannelSocket() {}

    @SuppressWarnings("DoNotCallSuggester")
    static ChannelSocket of(RdmaSocketChannel channel) {
        throw new UnsupportedOperationException(channel + " has no socket yet");
    }
}
