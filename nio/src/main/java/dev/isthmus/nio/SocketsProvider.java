package dev.isthmus.nio;

import java.io.IOException;
import java.net.ProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;

/** What the channels say that they are of. Datagrams and pipes are the JDK's; a selector of this package is not there yet. */
final class SocketsProvider extends SelectorProvider {

    static final SocketsProvider INSTANCE = new SocketsProvider();

    private SocketsProvider() {}

    private static SelectorProvider ofJdk() {
        return SelectorProvider.provider();
    }

    @Override
    public DatagramChannel openDatagramChannel() throws IOException {
        return ofJdk().openDatagramChannel();
    }

    @Override
    public DatagramChannel openDatagramChannel(ProtocolFamily family) throws IOException {
        return ofJdk().openDatagramChannel(family);
    }

    @Override
    public Pipe openPipe() throws IOException {
        return ofJdk().openPipe();
    }

    @Override
    public AbstractSelector openSelector() {
        throw new UnsupportedOperationException(
                "sockets over RDMA have no selector yet: use them in blocking mode, or poll"
                        + " them in non-blocking mode");
    }

    @Override
    public ServerSocketChannel openServerSocketChannel() {
        return RdmaServerSocketChannel.open();
    }

    @Override
    public SocketChannel openSocketChannel() {
        return RdmaSocketChannel.open();
    }
}
