// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.attributes.TransportType;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** The addresses of the two devices that the testbed creates: what goes from one to the other crosses a link. */
public final class Hosts {

    private Hosts() {}

    /**
     * The address of clients.
     *
     * @return the address
     */
    public static InetAddress near() {
        return given(0);
    }

    /**
     * The address of servers.
     *
     * @return the address
     */
    public static InetAddress far() {
        return given(1);
    }

    /**
     * Whether the devices speak iWARP.
     *
     * @return whether they do
     */
    public static boolean isIwarp() {
        return Device.first().transportType() == TransportType.IWARP;
    }

    private static InetAddress given(int which) {
        String both = System.getenv("ISTHMUS_ADDRESSES");
        if (both == null || both.isEmpty()) {
            throw new AssertionError("the testbed names no addresses: run this by isthmus test --tier device");
        }
        try {
            return InetAddress.getByName(both.split(" ", 2)[which]);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }
}
