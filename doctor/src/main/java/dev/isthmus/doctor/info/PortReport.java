// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.doctor.info;

import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.GidEntry;
import dev.isthmus.verbs.GidType;
import dev.isthmus.verbs.attributes.LinkLayer;
import dev.isthmus.verbs.attributes.PortAttributes;
import dev.isthmus.verbs.attributes.TransportType;
import java.util.Arrays;

/** Prints a port like ibv_devinfo. */
record PortReport(AttributeLines lines) {

    void print(DeviceContext context, int number, boolean verbose) {
        PortAttributes port = context.port(number);
        lines.line("\t\tport:\t%d", number);
        item("state:\t\t\t", "%s (%d)", Words.of(port.state()), port.stateCode());
        item("max_mtu:\t\t", "%s (%d)", Words.of(port.maxMtu()), port.maxMtuCode());
        item("active_mtu:\t\t", "%s (%d)", Words.of(port.activeMtu()), port.activeMtuCode());
        item("sm_lid:\t\t\t", "%d", port.smLid());
        item("port_lid:\t\t", "%d", port.lid());
        item("port_lmc:\t\t", "0x%02x", port.lmc());
        item("link_layer:\t\t", "%s", Words.of(port.linkLayer()));
        if (verbose) {
            printMore(port, context.device().transportType());
            context.gidTable(number).forEach(entry -> printGid(entry, port.linkLayer()));
        }
        lines.line("");
    }

    private void printMore(PortAttributes port, TransportType transport) {
        item("max_msg_sz:\t\t", "0x%x", port.maxMessageSize());
        item("port_cap_flags:\t\t", "0x%08x", port.portCapFlags());
        item("port_cap_flags2:\t", "0x%04x", port.portCapFlags2());
        item("max_vl_num:\t\t", "%s (%d)", Words.ofVirtualLanes(port.virtualLanes()), port.maxVlNum());
        item("bad_pkey_cntr:\t\t", "0x%x", port.badPkeyCounter());
        item("qkey_viol_cntr:\t\t", "0x%x", port.qkeyViolationCounter());
        item("sm_sl:\t\t\t", "%d", port.smSl());
        item("pkey_tbl_len:\t\t", "%d", port.pkeyTableLength());
        item("gid_tbl_len:\t\t", "%d", port.gidTableLength());
        item("subnet_timeout:\t\t", "%d", port.subnetTimeout());
        item("init_type_reply:\t", "%d", port.initTypeReply());
        item("active_width:\t\t", "%sX (%d)", Words.of(port.activeWidth()), port.activeWidthCode());
        item("active_speed:\t\t", "%s (%d)", Words.of(port.activeSpeed()), port.activeSpeedCode());
        if (transport == TransportType.IB) {
            item("phys_state:\t\t", "%s (%d)", Words.of(port.physState()), port.physStateCode());
        }
    }

    // ibv_devinfo skips a GID whose second half is zero.
    private void printGid(GidEntry entry, LinkLayer layer) {
        byte[] bytes = entry.gid().bytes();
        if (Arrays.equals(bytes, 8, 16, new byte[8], 0, 8)) {
            return;
        }
        String gid = entry.type() == GidType.ROCE_V2
                ? entry.gid().toIpString()
                : entry.gid().toString();
        String type = layer == LinkLayer.ETHERNET ? ", " + Words.of(entry.type()) : "";
        String where = entry.isInThisNamespace() ? "" : ", of another network namespace"; // in C's text it looks usable
        lines.line("\t\t\tGID[%3d]:\t\t%s%s%s", entry.index(), gid, type, where);
    }

    @SuppressWarnings("AnnotateFormatMethod") // as in Lines
    private void item(String nameAndTabs, String format, Object... values) {
        lines.line("\t\t\t" + nameAndTabs + format, values);
    }
}
