// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.RdmaException;
import dev.isthmus.cm.ConnectionId;
import dev.isthmus.cm.PortSpace;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** An address and port that a socket has, and connects from. Thread-safe, as each of its methods is called once. */
public final class Bound {

    private final Service service;
    private final boolean reuse;
    private final ConnectionId id;

    private Bound(Service service, InetSocketAddress address, boolean reuse) throws IOException {
        this.service = service;
        this.reuse = reuse;
        this.id = service.channel().createId(PortSpace.TCP);
        try {
            id.reuseAddress(reuse);
            id.bind(address);
        } catch (RdmaException e) {
            id.close();
            throw CmFailure.of(e, address);
        }
    }

    /**
     * Binds to an address.
     *
     * @param address the address and port; the wildcard is any device, and port 0 lets the kernel choose
     * @param reuse whether others may use the same address and port
     * @return what is bound
     * @throws IOException if it cannot, such as when another one is bound there
     */
    public static Bound to(InetSocketAddress address, boolean reuse) throws IOException {
        return new Bound(Service.get(), address, reuse);
    }

    /**
     * Where it is bound.
     *
     * @return the address and port
     */
    public InetSocketAddress localAddress() {
        return id.localAddress();
    }

    /** Lets go of the address; not to be called once it connects. */
    public void close() {
        id.close();
    }

    /** The id to connect with. The wildcard of one family becomes that of the peer's: sockets of Java are of both. */
    ConnectionId forPeer(InetSocketAddress peer) throws IOException {
        InetSocketAddress own = localAddress();
        if (!own.getAddress().isAnyLocalAddress()
                || own.getAddress().getClass() == peer.getAddress().getClass()) {
            return id;
        }
        id.close();
        return new Bound(service, new InetSocketAddress(wildcardLike(peer.getAddress()), own.getPort()), reuse).id;
    }

    private static InetAddress wildcardLike(InetAddress address) throws UnknownHostException {
        return InetAddress.getByAddress(new byte[address.getAddress().length]);
    }
}
