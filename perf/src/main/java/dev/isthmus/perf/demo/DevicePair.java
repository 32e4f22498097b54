// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.demo;

import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.attributes.LinkLayer;
import java.util.List;
import java.util.OptionalInt;

/**
 * The devices that a ping-pong runs between, and the GIDs that both sides use: the first two devices of the machine, or
 * its only one with itself.
 *
 * @param server where the server is
 * @param client where the client is
 */
record DevicePair(End server, End client) {

    /**
     * One end.
     *
     * @param device the name of the device
     * @param gidIndex its best GID; none on InfiniBand
     */
    record End(String device, OptionalInt gidIndex) {}

    static DevicePair find() {
        List<Device> devices = Device.list();
        Device first = Device.first();
        return new DevicePair(end(first), end(devices.size() > 1 ? devices.get(1) : first));
    }

    private static End end(Device device) {
        try (DeviceContext context = device.open()) {
            boolean ethernet = context.port(1).linkLayer() == LinkLayer.ETHERNET;
            return new End(
                    device.name(),
                    ethernet ? OptionalInt.of(context.defaultGid(1).index()) : OptionalInt.empty());
        }
    }
}
