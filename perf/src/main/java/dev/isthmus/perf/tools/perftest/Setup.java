// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.GidEntry;
import dev.isthmus.verbs.attributes.LinkLayer;
import dev.isthmus.verbs.attributes.Mtu;
import dev.isthmus.verbs.attributes.PortAttributes;
import dev.isthmus.verbs.attributes.PortState;
import dev.isthmus.verbs.attributes.TransportType;
import java.util.Arrays;
import java.util.Optional;

/**
 * What a device offers a test.
 *
 * @param device the name of the device
 * @param transport IB or IWARP
 * @param mtu the largest MTU that this end can use
 * @param linkLayer what the port runs on
 * @param lid the port's LID, 0 on Ethernet
 * @param gid the GID in use, if any
 * @param inlineBytes the largest inline message
 * @param outReads how many reads or atomics may be outstanding, 1 for tests without
 */
public record Setup(
        String device,
        TransportType transport,
        Mtu mtu,
        LinkLayer linkLayer,
        int lid,
        Optional<GidEntry> gid,
        int inlineBytes,
        int outReads) {

    /** Mellanox, Intel, Chelsio: on other devices, including Soft-RoCE, perftest sends nothing inline. */
    private static final int[] INLINE_VENDORS = {0x2c9, 0x8086, 0x1425};

    private static final int INLINE_WRITE = 220;
    private static final int INLINE_SEND = 236;
    private static final int INLINE_DATAGRAM = 188;

    static Setup of(DeviceContext context, Plan plan, int portNumber) {
        PortAttributes port = context.port(portNumber);
        requireActive(context.device().name(), portNumber, port);
        return new Setup(
                context.device().name(),
                context.device().transportType(),
                mtuOf(port, plan.place()),
                port.linkLayer(),
                port.lid(),
                gidOf(context, port, plan.place(), portNumber),
                plan.queues().inline.orElseGet(() -> defaultInline(context, plan)),
                outReadsOf(context, plan));
    }

    /** Without this check, a session would begin, and end later with completions that say that nobody answers. */
    static void requireActive(String device, int portNumber, PortAttributes port) {
        PortState state = port.state();
        if (state != PortState.ACTIVE) {
            String name = state == PortState.UNKNOWN ? "in state " + port.stateCode() : state.toString();
            throw new IllegalArgumentException("port " + portNumber + " of " + device + " is " + name
                    + ", not ACTIVE: check its cable and network interface (isthmus doctor), or choose another"
                    + " with -d and -i");
        }
    }

    private static Optional<GidEntry> gidOf(DeviceContext context, PortAttributes port, Place place, int portNumber) {
        if (place.gidIndex.isPresent()) {
            return Optional.of(context.gid(portNumber, place.gidIndex.get()));
        }
        return port.linkLayer() == LinkLayer.ETHERNET ? Optional.of(context.defaultGid(portNumber)) : Optional.empty();
    }

    private static Mtu mtuOf(PortAttributes port, Place place) {
        Mtu active = port.activeMtu();
        return place.mtu().filter(wanted -> wanted.compareTo(active) < 0).orElse(active);
    }

    private static int defaultInline(DeviceContext context, Plan plan) {
        int vendor = context.attributes().vendorId();
        boolean known = Arrays.stream(INLINE_VENDORS).anyMatch(each -> each == vendor);
        if (!known || plan.test().isBandwidth()) {
            return 0;
        }
        return switch (plan.test().verb()) {
            case WRITE -> INLINE_WRITE;
            case SEND -> plan.isDatagram() ? INLINE_DATAGRAM : INLINE_SEND;
            default -> 0;
        };
    }

    private static int outReadsOf(DeviceContext context, Plan plan) {
        if (!plan.test().verb().isFetch()) {
            return 1;
        }
        int most = context.attributes().maxQpRdAtomic();
        int wanted = plan.queues().outstanding.orElse(0);
        return wanted == 0 ? most : Math.min(wanted, most);
    }
}
