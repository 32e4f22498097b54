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
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.Comparator;
import java.util.List;

/**
 * Which address of a device stands for the loopback address. rdma_cm resolves no 127.0.0.1, and many programs connect to
 * themselves by it: so who connects to it, or listens at it, uses the first address of this machine that a device has, or the
 * one that the system property {@code isthmus.nio.loopback} names. Who listens at it lets only this machine in.
 */
final class Addresses {

    private static final int ANY_PORT = 9; // 0 is refused

    private static volatile InetAddress loopback; // null until it is looked for, and found

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

    /** Where to connect to, for an address that a program names: the wildcard is this machine, as for TCP. */
    static InetSocketAddress peer(InetSocketAddress named) throws IOException {
        InetAddress address = named.getAddress();
        return address.isLoopbackAddress() || address.isAnyLocalAddress()
                ? new InetSocketAddress(ofLoopback(), named.getPort())
                : named;
    }

    /** Where to bind to, for an address that a program names. */
    static InetSocketAddress local(InetSocketAddress named) throws IOException {
        return named.getAddress().isLoopbackAddress() ? new InetSocketAddress(ofLoopback(), named.getPort()) : named;
    }

    /** Whether an address is one of this machine's. */
    static boolean isOfThisMachine(InetAddress address) {
        try {
            return NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return false; // nobody is let in whose address cannot be looked up
        }
    }

    /** Whether a device can carry what is bound to an address. */
    static boolean isCarriedAt(InetAddress local) {
        if (local.isAnyLocalAddress() || local.isLoopbackAddress()) {
            return hasDevice();
        }
        try (EventChannel channel = EventChannel.open()) {
            return isOfDevice(channel, local);
        }
    }

    /** Whether the way to an address begins at a device. Sends nothing. */
    static boolean isCarriedTo(InetAddress remote) {
        if (remote.isAnyLocalAddress() || remote.isLoopbackAddress()) {
            return hasDevice();
        }
        try (DatagramChannel way = JdkProvider.get().openDatagramChannel()) {
            way.configureBlocking(false); // an interrupt does not end it then
            way.connect(new InetSocketAddress(remote, ANY_PORT));
            return isCarriedAt(((InetSocketAddress) way.getLocalAddress()).getAddress());
        } catch (IOException e) {
            return false; // there is no way: what connects by TCP tells why
        }
    }

    private static boolean hasDevice() {
        try {
            return ofLoopback() != null;
        } catch (IOException e) {
            return false; // no address is a device's
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
        try (EventChannel channel = EventChannel.open()) {
            for (InetAddress address : candidates) {
                if (isOfDevice(channel, address)) {
                    return address;
                }
            }
        }
        throw new NoRouteToHostException(
                "no address of this machine is an RDMA device's, so none can stand for loopback: " + candidates
                        + "; isthmus doctor says what is missing");
    }

    private static boolean isOfDevice(EventChannel channel, InetAddress address) {
        try (ConnectionId id = channel.createId(PortSpace.TCP)) {
            id.bind(new InetSocketAddress(address, 0));
            return id.device() != null;
        } catch (CmException e) {
            return false; // most often with NO_DEVICE: it is another card's
        }
    }
}
