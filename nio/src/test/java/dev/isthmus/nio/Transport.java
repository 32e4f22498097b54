// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import dev.isthmus.cm.ConnectionId;
import dev.isthmus.cm.EventChannel;
import dev.isthmus.cm.PortSpace;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.Channel;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/** Channels of one kind: those of the JDK, or those over RDMA. */
interface Transport {

    /** The JDK's channels, over the loopback device. */
    Transport TCP = new Transport() {

        @Override
        public SocketChannel open() throws IOException {
            return SocketChannel.open();
        }

        @Override
        public ServerSocketChannel openServer() throws IOException {
            return ServerSocketChannel.open();
        }

        @Override
        public Selector openSelector() throws IOException {
            return Selector.open();
        }

        @Override
        public InetAddress serverAddress() {
            return InetAddress.getLoopbackAddress();
        }

        // Its queue is full, so that Linux drops connection requests.
        @Override
        public Silent silent() throws IOException {
            ServerSocketChannel full = openServer().bind(new InetSocketAddress(serverAddress(), 0), 1);
            var address = (InetSocketAddress) full.getLocalAddress();
            List<SocketChannel> waiting = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                waiting.add(SocketChannel.open(address));
            }
            return new Silent(address, () -> {
                for (SocketChannel one : waiting) {
                    one.close();
                }
                full.close();
            });
        }
    };

    /** Channels over RDMA, over the link between two devices. */
    Transport RDMA = new Transport() {

        @Override
        public SocketChannel open() {
            return RdmaSocketChannel.open();
        }

        @Override
        public ServerSocketChannel openServer() {
            return RdmaServerSocketChannel.open();
        }

        @Override
        public Selector openSelector() throws IOException {
            return RdmaSelector.open();
        }

        @Override
        public InetAddress serverAddress() {
            return Hosts.far();
        }

        @Override
        public InetAddress clientAddress() {
            return Hosts.near();
        }

        // It reads no event.
        @Override
        public Silent silent() {
            EventChannel events = EventChannel.open();
            ConnectionId id = events.createId(PortSpace.TCP);
            id.bind(new InetSocketAddress(serverAddress(), 0));
            id.listen();
            return new Silent(id.localAddress(), () -> {
                id.close();
                events.close();
            });
        }
    };

    /** Channels that a provider opens; everything else is like another kind. */
    static Transport of(Opens sockets, Opens servers, Transport addresses) {
        return new Transport() {

            @Override
            public SocketChannel open() throws IOException {
                return (SocketChannel) sockets.open();
            }

            @Override
            public ServerSocketChannel openServer() throws IOException {
                return (ServerSocketChannel) servers.open();
            }

            @Override
            public Selector openSelector() throws IOException {
                return addresses.openSelector();
            }

            @Override
            public InetAddress serverAddress() {
                return addresses.serverAddress();
            }

            @Override
            public InetAddress clientAddress() {
                return addresses.clientAddress();
            }

            @Override
            public Silent silent() throws IOException {
                return addresses.silent();
            }
        };
    }

    /** Opens one. */
    interface Opens {
        Channel open() throws IOException;
    }

    SocketChannel open() throws IOException;

    ServerSocketChannel openServer() throws IOException;

    Selector openSelector() throws IOException;

    /** The address on which a server listens. */
    InetAddress serverAddress();

    /** The address of a client that is connected over a link, if there is one. */
    default InetAddress clientAddress() {
        return serverAddress();
    }

    /** A server that does not answer connection requests. */
    Silent silent() throws IOException;

    /** A server that listens. */
    default ServerSocketChannel listening() throws IOException {
        return openServer().bind(new InetSocketAddress(serverAddress(), 0));
    }

    /** Two connected channels. */
    default Linked linked() throws IOException {
        return new Linked(listening(), open(), clientAddress());
    }

    /** Two connected channels with receive buffers of a given size. */
    default Linked linked(int receiveBuffer) throws IOException {
        ServerSocketChannel listener = openServer()
                .setOption(StandardSocketOptions.SO_RCVBUF, receiveBuffer)
                .bind(new InetSocketAddress(serverAddress(), 0));
        return new Linked(listener, open().setOption(StandardSocketOptions.SO_RCVBUF, receiveBuffer), clientAddress());
    }

    /** A server that does not answer. */
    record Silent(InetSocketAddress address, Closing closing) implements AutoCloseable {

        @Override
        public void close() throws IOException {
            closing.close();
        }
    }

    /** Closes one. */
    interface Closing {
        void close() throws IOException;
    }

    /** Two connected channels. */
    final class Linked implements AutoCloseable {

        final ServerSocketChannel listener;
        final SocketChannel client;
        final SocketChannel server;

        private Linked(ServerSocketChannel listener, SocketChannel client, InetAddress from) throws IOException {
            this.listener = listener;
            this.client = client.bind(new InetSocketAddress(from, 0));
            client.connect(listener.getLocalAddress());
            server = listener.accept();
        }

        @Override
        public void close() throws IOException {
            client.close();
            server.close();
            listener.close();
        }
    }
}
