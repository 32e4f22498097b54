// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.DeviceContext;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/** Where servers of rdma_cm listen. */
final class DeviceAddress {

    private DeviceAddress() {}

    /** The IP address of the first device. */
    static InetAddress first() throws UnknownHostException {
        return of(Device.list().getFirst());
    }

    /** The IP address of the last device. */
    static InetAddress last() throws UnknownHostException {
        return of(Device.list().getLast());
    }

    private static InetAddress of(Device device) throws UnknownHostException {
        byte[] gid;
        try (DeviceContext context = device.open()) {
            gid = context.defaultGid(1).gid().bytes();
        }
        return InetAddress.getByAddress(Arrays.copyOfRange(gid, 12, 16));
    }
}
