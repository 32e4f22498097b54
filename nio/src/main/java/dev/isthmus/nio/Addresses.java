// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import dev.isthmus.CmException;
import dev.isthmus.cm.ConnectionId;
import dev.isthmus.cm.EventChannel;
import dev.isthmus.cm.PortSpace;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.NoRouteToHostException;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.Comparator;
import java.util.List;

/**
 * Replaces the loopback address by a device's address, as rdma_cm does not resolve 127.0.0.1, and many programs connect
 * to themselves by it. Sockets that connect to it, or listen at it, use this machine's first address on a device, or
 * the one that the system property {@code isthmus.nio.loopback} names. A listener at it admits only this machine.
 */
final class Addresses {

    private static final int ANY_PORT = 9; // rdma_cm refuses 0

    private static volatile InetAddress loopback; // null until it was found

    private Addresses() {}

    static InetSocketAddress checked(SocketAddress address) {
        if (address == null) {
            throw new NullPointerException("address");
        }
        if (!(address instanceof InetSocketAddress internet)) {
            throw new UnsupportedAddressTypeException();
        }
        if (internet.isUnresolved()) {
            throw new UnresolvedAddressException();
        }
        return internet;
    }

    /** The checked address for a channel of one family, or of any if it is null. */
    static InetSocketAddress checked(SocketAddress address, ProtocolFamily family) {
        InetSocketAddress internet = checked(address);
        if (family == StandardProtocolFamily.INET && internet.getAddress() instanceof Inet6Address) {
            throw new UnsupportedAddressTypeException();
        }
        return internet;
    }

    /** The address to connect to for one that a program names. As with TCP, the wildcard means this machine. */
    static InetSocketAddress peer(InetSocketAddress named) throws IOException {
        InetAddress address = named.getAddress();
        return address.isLoopbackAddress() || address.isAnyLocalAddress()
                ? new InetSocketAddress(ofLoopback(), named.getPort())
                : named;
    }

    /** The address to bind to for one that a program names. */
    static InetSocketAddress local(InetSocketAddress named) throws IOException {
        return named.getAddress().isLoopbackAddress() ? new InetSocketAddress(ofLoopback(), named.getPort()) : named;
    }

    /** Whether an address belongs to this machine. */
    static boolean isOfThisMachine(InetAddress address) {
        try {
            return NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return false; // a peer whose address cannot be looked up is refused
        }
    }

    /** Whether a device can carry a socket that is bound to an address. */
    static boolean isCarriedAt(InetAddress local) throws IOException {
        if (local.isAnyLocalAddress() || local.isLoopbackAddress()) {
            return hasDevice();
        }
        try (EventChannel channel = eventChannel()) {
            return isOfDevice(channel, local);
        }
    }

    /** Whether the route to an address begins at a device. Sends nothing. */
    static boolean isCarriedTo(InetAddress remote) throws IOException {
        if (remote.isAnyLocalAddress() || remote.isLoopbackAddress()) {
            return hasDevice();
        }
        InetAddress local;
        try (DatagramChannel way = JdkProvider.get().openDatagramChannel()) {
            way.configureBlocking(false); // so an interrupt does not close it
            way.connect(new InetSocketAddress(remote, ANY_PORT));
            local = ((InetSocketAddress) way.getLocalAddress()).getAddress();
        } catch (IOException e) {
            return false; // there is no route: connecting by TCP will say why
        }
        return isCarriedAt(local);
    }

    private static boolean hasDevice() throws IOException {
        try {
            return ofLoopback() != null;
        } catch (NoRouteToHostException e) {
            return false; // no address belongs to a device
        }
    }

    private static EventChannel eventChannel() throws SocketException {
        try {
            return EventChannel.open();
        } catch (CmException e) { // mostly too many open files
            throw (SocketException) new SocketException(e.getMessage()).initCause(e);
        }
    }

    private static InetAddress ofLoopback() throws IOException {
        InetAddress known = loopback;
        if (known == null) {
            String named = System.getProperty("isthmus.nio.loopback");
            known = named != null ? InetAddress.getByName(named) : firstOfDevice();
            loopback = known;
        }
        return known;
    }

    private static InetAddress firstOfDevice() throws IOException {
        List<InetAddress> candidates = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> !address.isLoopbackAddress())
                .sorted(Comparator.comparing((InetAddress address) -> address instanceof Inet6Address)
                        .thenComparing(InetAddress::isLinkLocalAddress)
                        .thenComparing(InetAddress::getHostAddress))
                .toList();
        try (EventChannel channel = eventChannel()) {
            for (InetAddress address : candidates) {
                if (isOfDevice(channel, address)) {
                    return address;
                }
            }
        }
        throw new NoRouteToHostException(
                "no address of this machine belongs to an RDMA device, so none can stand for loopback: " + candidates
                        + "; isthmus doctor says what is missing");
    }

    private static boolean isOfDevice(EventChannel channel, InetAddress address) {
        try (ConnectionId id = channel.createId(PortSpace.TCP)) {
            id.bind(new InetSocketAddress(address, 0));
            return id.device() != null;
        } catch (CmException e) {
            return false; // mostly NO_DEVICE: the address belongs to another card
        }
    }
}
