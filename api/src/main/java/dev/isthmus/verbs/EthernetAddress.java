// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import java.util.Locale;
import java.util.OptionalInt;

/**
 * The Ethernet address for packets to a peer, as {@code ibv_resolve_eth_l2_from_gid} finds it.
 *
 * @param mac the address as a number of 48 bits: its first byte is the highest
 * @param vlan the VLAN, empty if there is none
 */
public record EthernetAddress(long mac, OptionalInt vlan) {

    static final int MAC_BYTES = 6;

    static EthernetAddress of(byte[] mac, int vid) {
        long number = 0;
        for (byte b : mac) {
            number = number << 8 | (b & 0xff);
        }
        return new EthernetAddress(number, vid <= 0xfff ? OptionalInt.of(vid) : OptionalInt.empty());
    }

    /** The address in six groups of two hexadecimal digits, and the VLAN if there is one. */
    @Override
    public String toString() {
        String digits = String.format(Locale.ROOT, "%012x", mac).replaceAll("..(?=.)", "$0:");
        return vlan.isPresent() ? digits + " vlan " + vlan.getAsInt() : digits;
    }
}
