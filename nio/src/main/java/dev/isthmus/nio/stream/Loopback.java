// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

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
import java.net.SocketException;
import java.util.Comparator;
import java.util.List;

/**
 * Replaces the loopback address by a device's address, as rdma_cm does not resolve 127.0.0.1, and many programs connect
 * to themselves by it. Sockets that connect to it, or listen at it, use this machine's first address on a device, or
 * the one that the system property {@code isthmus.nio.loopback} names. A listener at it admits only this machine.
 * Thread-safe.
 */
public final class Loopback {

    private static volatile InetAddress loopback; // null until it was found

    private Loopback() {}

    /**
     * The address to connect to for one that a program names. As with TCP, the wildcard means this machine.
     *
     * @param named the address that the program names
     * @return that address, or one of a device if it is loopback or the wildcard
     * @throws IOException if it is, and no device has an address
     */
    public static InetSocketAddress peer(InetSocketAddress named) throws IOException {
        InetAddress address = named.getAddress();
        return address.isLoopbackAddress() || address.isAnyLocalAddress()
                ? new InetSocketAddress(ofLoopback(), named.getPort())
                : named;
    }

    /**
     * The address to bind to for one that a program names.
     *
     * @param named the address that the program names
     * @return that address, or one of a device if it is loopback
     * @throws IOException if it is, and no device has an address
     */
    public static InetSocketAddress local(InetSocketAddress named) throws IOException {
        return named.getAddress().isLoopbackAddress() ? new InetSocketAddress(ofLoopback(), named.getPort()) : named;
    }

    /**
     * Whether an address belongs to this machine.
     *
     * @param address the address
     * @return whether it does; false also if that cannot be found out
     */
    public static boolean isOfThisMachine(InetAddress address) {
        try {
            return NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return false; // a peer whose address cannot be looked up is refused
        }
    }

    /**
     * Opens a channel to ask rdma_cm about addresses.
     *
     * @return the channel, which the caller closes
     * @throws SocketException if that fails, mostly as the process has too many open files
     */
    public static EventChannel eventChannel() throws SocketException {
        try {
            return EventChannel.open();
        } catch (CmException e) { // mostly too many open files
            throw (SocketException) new SocketException(e.getMessage()).initCause(e);
        }
    }

    /**
     * The address that stands for loopback.
     *
     * @return the address, of a device of this machine
     * @throws IOException if no device has an address
     */
    public static InetAddress ofLoopback() throws IOException {
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

    /**
     * Whether an address belongs to a device.
     *
     * @param channel a channel to ask rdma_cm by
     * @param address the address
     * @return whether it does
     */
    public static boolean isOfDevice(EventChannel channel, InetAddress address) {
        try (ConnectionId id = channel.createId(PortSpace.TCP)) {
            id.bind(new InetSocketAddress(address, 0));
            return id.device() != null;
        } catch (CmException e) {
            return false; // mostly NO_DEVICE: the address belongs to another card
        }
    }
}
