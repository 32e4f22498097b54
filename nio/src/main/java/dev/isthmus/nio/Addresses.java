// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import dev.isthmus.cm.EventChannel;
import dev.isthmus.nio.stream.Loopback;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;

/** Checks addresses, and finds out which of them devices can carry. */
final class Addresses {

    private static final int ANY_PORT = 9; // rdma_cm refuses 0

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

    /** Whether a device can carry a socket that is bound to an address. */
    static boolean isCarriedAt(InetAddress local) throws IOException {
        if (local.isAnyLocalAddress() || local.isLoopbackAddress()) {
            return hasDevice();
        }
        try (EventChannel channel = Loopback.eventChannel()) {
            return Loopback.isOfDevice(channel, local);
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
            return Loopback.ofLoopback() != null;
        } catch (NoRouteToHostException e) {
            return false; // no address belongs to a device
        }
    }
}
