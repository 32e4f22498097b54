// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

import dev.isthmus.RdmaException;
import dev.isthmus.cm.ConnectionId;
import dev.isthmus.cm.PortSpace;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** The address and port that a socket is bound to, and connects from. Thread-safe, as each method is called once. */
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
            throw CmFailure.ofBind(e, address);
        }
    }

    /**
     * Binds to an address.
     *
     * @param address the address and port; the wildcard means any device, and port 0 lets the kernel choose
     * @param reuse whether others may use the same address and port
     * @return the binding
     * @throws IOException if that fails, for instance because another socket is bound there
     */
    public static Bound to(InetSocketAddress address, boolean reuse) throws IOException {
        return new Bound(Service.get(), address, reuse);
    }

    /**
     * The bound address.
     *
     * @return the address and port
     */
    public InetSocketAddress localAddress() {
        return id.localAddress();
    }

    /** Releases the address. Do not call this once it connects. */
    public void close() {
        id.close();
    }

    /**
     * The id to connect with. The wildcard of one family becomes that of the peer's family, as Java's sockets
     * have both.
     */
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
