// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor.info;

import dev.isthmus.verbs.GidType;
import dev.isthmus.verbs.attributes.AtomicCapability;
import dev.isthmus.verbs.attributes.LinkLayer;
import dev.isthmus.verbs.attributes.LinkSpeed;
import dev.isthmus.verbs.attributes.LinkWidth;
import dev.isthmus.verbs.attributes.Mtu;
import dev.isthmus.verbs.attributes.PhysicalState;
import dev.isthmus.verbs.attributes.PortState;
import dev.isthmus.verbs.attributes.TransportType;
import java.util.Locale;

/** Codes in ibv_devinfo's words. */
final class Words {

    private Words() {}

    static String of(TransportType transport) {
        return switch (transport) {
            case IB -> "InfiniBand";
            case IWARP -> "iWARP";
            case USNIC -> "usNIC";
            case USNIC_UDP -> "usNIC UDP";
            case UNSPECIFIED -> "unspecified";
            case UNKNOWN -> "invalid transport";
        };
    }

    static String of(PortState state) {
        return switch (state) {
            case DOWN, INIT, ARMED, ACTIVE -> "PORT_" + state;
            case NOP, ACTIVE_DEFER, UNKNOWN -> "invalid state";
        };
    }

    static String of(PhysicalState state) {
        return switch (state) {
            case SLEEP, POLLING, DISABLED, LINK_UP, LINK_ERROR_RECOVERY -> state.name();
            case PORT_CONFIGURATION_TRAINING -> "PORT_CONFIGURATION TRAINNING"; // as ibv_devinfo spells it
            case PHY_TEST -> "PHY TEST";
            case UNKNOWN -> "invalid physical state";
        };
    }

    static String of(AtomicCapability atomics) {
        return atomics == AtomicCapability.UNKNOWN ? "invalid atomic capability" : "ATOMIC_" + atomics;
    }

    static String of(Mtu mtu) {
        return mtu == Mtu.UNKNOWN ? "invalid MTU" : Integer.toString(mtu.bytes());
    }

    static String of(LinkWidth width) {
        return width == LinkWidth.UNKNOWN ? "invalid width" : Integer.toString(width.lanes());
    }

    static String of(LinkSpeed speed) {
        return speed == LinkSpeed.UNKNOWN ? "invalid speed" : String.format(Locale.ROOT, "%.1f Gbps", speed.gbps());
    }

    static String ofVirtualLanes(int lanes) {
        return lanes == 0 ? "invalid value" : Integer.toString(lanes);
    }

    static String of(LinkLayer layer) {
        return switch (layer) {
            case UNSPECIFIED -> "Unspecified";
            case INFINIBAND -> "InfiniBand";
            case ETHERNET -> "Ethernet";
            case UNKNOWN -> "Unknown";
        };
    }

    static String of(GidType type) {
        return type == GidType.ROCE_V2 ? "RoCE v2" : "RoCE v1";
    }

    static String ofGuid(long guid) {
        return String.format(Locale.ROOT, "%016x", guid).replaceAll("....(?=.)", "$0:");
    }
}
