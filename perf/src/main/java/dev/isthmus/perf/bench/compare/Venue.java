// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.compare;

import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.GidEntry;
import dev.isthmus.verbs.attributes.LinkLayer;
import dev.isthmus.verbs.attributes.PortState;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.NetworkInterface;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Where the two ends are: on RDMA devices, or on this machine's loopback interface.
 *
 * @param server the end that starts first
 * @param client the end that measures
 */
record Venue(End server, End client) {

    /**
     * One end.
     *
     * @param device the RDMA device; none on the loopback interface
     * @param gidIndex its best GID; none on InfiniBand
     * @param address the IP address of the same port
     * @param netdev the network interface of the same port
     * @param software whether the device is software: Soft-RoCE, SoftiWARP
     */
    record End(
            Optional<String> device, OptionalInt gidIndex, String address, Optional<String> netdev, boolean software) {

        private static final End LOOPBACK =
                new End(Optional.empty(), OptionalInt.empty(), "127.0.0.1", Optional.of("lo"), false);

        /** Whether it has an IPv4 address of its own. */
        boolean hasAddress() {
            return !address.equals(LOOPBACK.address());
        }

        private static End of(Device device) throws IOException {
            try (DeviceContext context = device.open()) {
                boolean software = Path.of("/sys/class/infiniband", device.name())
                        .toRealPath()
                        .startsWith("/sys/devices/virtual");
                Optional<String> name = Optional.of(device.name());
                if (context.port(1).linkLayer() != LinkLayer.ETHERNET) {
                    return new End(name, OptionalInt.empty(), LOOPBACK.address(), Optional.empty(), software);
                }
                GidEntry gid = context.defaultGid(1);
                String address = gid.gid().isIpv4Mapped()
                        ? gid.gid().toInetAddress().getHostAddress()
                        : address(gid.netdevName()).orElse(LOOPBACK.address());
                return new End(name, OptionalInt.of(gid.index()), address, gid.netdevName(), software);
            }
        }

        private static Optional<String> address(Optional<String> netdev) throws IOException {
            NetworkInterface found = netdev.isPresent() ? NetworkInterface.getByName(netdev.get()) : null;
            return found == null
                    ? Optional.empty()
                    : found.inetAddresses()
                            .filter(Inet4Address.class::isInstance)
                            .map(address -> address.getHostAddress())
                            .findFirst();
        }
    }

    /** This machine's loopback interface, which has no verbs. */
    static Venue loopback() {
        return new Venue(End.LOOPBACK, End.LOOPBACK);
    }

    /**
     * The named devices, one for each end or one for both. Without names, the machine's first two devices with an
     * active port, or its only one.
     */
    static Venue of(List<String> names) throws IOException {
        List<Device> devices = names.isEmpty()
                ? usable(Device.list())
                : names.stream().map(Device::named).toList();
        if (devices.isEmpty()) {
            return loopback();
        }
        End client = End.of(devices.getFirst());
        return new Venue(devices.size() > 1 ? End.of(devices.get(1)) : client, client);
    }

    /** The devices with an active port. If there is none, all devices, so that the first can say what is wrong. */
    private static List<Device> usable(List<Device> devices) {
        List<Device> active = devices.stream().filter(Venue::isActive).toList();
        return active.isEmpty() ? devices : active;
    }

    private static boolean isActive(Device device) {
        try (DeviceContext context = device.open()) {
            return context.port(1).state() == PortState.ACTIVE;
        }
    }

    boolean hasDevices() {
        return client.device().isPresent();
    }

    /** In words. */
    String title() {
        return hasDevices() ? title(client) + " to " + title(server) : "the loopback interface";
    }

    private static String title(End end) {
        return end.device().orElseThrow() + " (" + end.address()
                + end.netdev().map(name -> ", " + name).orElse("") + ")";
    }
}
