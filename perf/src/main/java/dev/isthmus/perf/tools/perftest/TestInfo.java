// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import dev.isthmus.verbs.Gid;
import dev.isthmus.verbs.SendOpcode;
import dev.isthmus.verbs.attributes.LinkLayer;
import dev.isthmus.verbs.attributes.TransportType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;

/** What perftest prints about a test before its figures, and writes to its JSON. */
record TestInfo(Plan plan, Setup setup, PerftestSession.Terms terms) {

    /** The title, with blanks for the terminal and underscores for the JSON. */
    private String title(char between) {
        var words = new StringJoiner(String.valueOf(between));
        words.add(plan.test().verb().title());
        if (plan.test().verb() == Verb.ATOMIC) {
            words.add(plan.traffic().atomic() == SendOpcode.ATOMIC_FETCH_AND_ADD ? "FETCH_AND_ADD" : "CMP_AND_SWAP");
        }
        if (plan.test().isBandwidth()) {
            if (plan.traffic().bidirectional()) {
                words.add("Bidirectional");
            }
            if (plan.queues().postList() > 1) {
                words.add("Post" + between + "List");
            }
            words.add("BW");
        } else {
            words.add("Latency");
        }
        return words.add("Test").toString();
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add("                    " + title(' '));
        if (plan.traffic().events()) {
            lines.add(" Test with events. Using " + setup.device() + "_comp0");
        }
        lines.add(" Dual-port       : OFF\t\tDevice         : " + setup.device());
        lines.add(" Number of qps   : " + plan.queues().pairs() + "\t\tTransport type : " + transport());
        lines.add(" Connection type : " + plan.traffic().transport() + "\t\tUsing SRQ      : "
                + onOff(plan.queues().shared()));
        lines.add(" PCIe relax order: " + onOff(plan.place().relaxedOrdering()));
        lines.add(" ibv_wr* API     : OFF");
        addQueues(lines);
        lines.add(" Mtu             : " + terms.mtu().bytes() + "[B]");
        lines.add(" Link type       : " + link());
        setup.gid().ifPresent(gid -> lines.add(" GID index       : " + gid.index()));
        if (plan.test().verb().isFetch()) {
            lines.add(" Outstand reads  : " + setup.outReads());
        } else {
            lines.add(" Max inline data : " + setup.inlineBytes() + "[B]");
        }
        lines.add(" rdma_cm QPs\t : " + onOff(plan.place().rdmaCm()));
        lines.add(" Data ex. method : " + exchangeMethod());
        if (plan.place().rdmaCm() && !plan.isClient()) {
            lines.add(LatencyReport.RULE);
            lines.add(" Waiting for client rdma_cm QP to connect");
            lines.add(" Please run the same command with the IB/RoCE interface IP");
        }
        return lines;
    }

    private void addQueues(List<String> lines) {
        if (plan.isClient() || plan.traffic().bidirectional()) {
            lines.add(" TX depth        : " + plan.queues().txDepth());
        }
        if (plan.queues().postList() > 1) {
            lines.add(" Post List       : " + plan.queues().postList());
        }
        if (plan.isSend() && (!plan.isClient() || plan.traffic().bidirectional())) {
            lines.add(" RX depth        : " + plan.queues().rxDepth());
        }
        if (plan.test().isBandwidth()) {
            lines.add(" CQ Moderation   : " + plan.queues().cqMod());
        }
    }

    /** perftest's JSON, with the names of perftest 24.01 and newer. It has no place for our percentiles. */
    Map<String, Object> json(Map<String, Object> results) {
        var fields = new LinkedHashMap<String, Object>();
        fields.put("test", title('_'));
        if (plan.traffic().events()) {
            fields.put("Test with events", "Using_" + setup.device() + "_comp0");
        }
        fields.put("Dual_port", onOff(false));
        fields.put("Device", setup.device());
        fields.put("Number_of_qps", plan.queues().pairs());
        fields.put("Transport_type", transport());
        fields.put("Connection_type", plan.traffic().transport());
        fields.put("Using_SRQ", onOff(plan.queues().shared()));
        fields.put("PCIe_relax_order", onOff(plan.place().relaxedOrdering()));
        fields.put("ibv_wr_API", onOff(false));
        putQueues(fields);
        fields.put("Mtu", terms.mtu().bytes());
        fields.put("Link_type", link());
        setup.gid().ifPresent(gid -> fields.put("GID_index", gid.index()));
        if (plan.test().verb().isFetch()) {
            fields.put("Outstand_reads", setup.outReads());
        } else {
            fields.put("Max_inline_data", setup.inlineBytes());
        }
        fields.put("rdma_cm_QPs", onOff(plan.place().rdmaCm()));
        fields.put("Data_ex_method", exchangeMethod());
        var json = new LinkedHashMap<String, Object>();
        json.put("test_info", fields);
        json.put("results", results);
        return json;
    }

    private void putQueues(Map<String, Object> fields) {
        if (plan.isClient() || plan.traffic().bidirectional()) {
            fields.put("TX_depth", plan.queues().txDepth());
        }
        if (plan.queues().postList() > 1) {
            fields.put("Post_List", plan.queues().postList());
        }
        if (plan.isSend() && (!plan.isClient() || plan.traffic().bidirectional())) {
            fields.put("RX_depth", plan.queues().rxDepth());
        }
        if (plan.test().isBandwidth()) {
            fields.put("CQ_Moderation", plan.queues().cqMod());
        }
    }

    private static String onOff(boolean on) {
        return on ? "ON" : "OFF";
    }

    private String exchangeMethod() {
        return plan.place().exchangeByCm() ? "rdma_cm" : "Ethernet";
    }

    private String transport() {
        return setup.transport() == TransportType.IB
                ? "IB"
                : setup.transport() == TransportType.IWARP ? "IW" : "Unknown";
    }

    private String link() {
        return setup.linkLayer() == LinkLayer.ETHERNET
                ? "Ethernet"
                : setup.linkLayer() == LinkLayer.INFINIBAND ? "IB" : "Unknown";
    }

    /** The lines of a queue pair: with a key and an address if the peer reads or writes, unless RDMA CM connects. */
    List<String> address(String side, PerftestDestination end) {
        String line = " " + side + " address: LID " + CFormat.alternateHex(end.lid(), 4) + " QPN "
                + CFormat.alternateHex(end.qpNum(), 6) + " PSN " + CFormat.alternateHex(end.psn(), 6);
        Verb verb = plan.test().verb();
        if (!plan.place().exchangeByCm() && (verb == Verb.READ || verb == Verb.WRITE)) {
            line += verb == Verb.READ ? " OUT " + CFormat.alternateHex(end.outReads(), 4) : "";
            line += " RKey " + CFormat.alternateHex(Integer.toUnsignedLong(end.rkey()), 8) + " VAddr "
                    + CFormat.alternateHex(end.address(), 16);
        }
        List<String> lines = new ArrayList<>(List.of(line));
        end.gid().ifPresent(gid -> lines.add(" GID: " + decimal(gid)));
        return lines;
    }

    /** perftest prints a GID's bytes as decimal numbers. */
    private static String decimal(Gid gid) {
        var text = new StringJoiner(":");
        for (byte b : gid.bytes()) {
            text.add(String.format(Locale.ROOT, "%02d", b & 0xff));
        }
        return text.toString();
    }
}
