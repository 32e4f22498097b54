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

/** What perftest prints about a test before its figures, and writes to its JSON, with the names of perftest 24.01. */
final class TestInfo {

    private final Plan plan;
    private final Setup setup;
    private final StringBuilder text = new StringBuilder();
    private final Map<String, Object> fields = new LinkedHashMap<>();

    TestInfo(Plan plan, Setup setup, PerftestSession.Terms terms) {
        this.plan = plan;
        this.setup = setup;
        boolean bothWays = plan.traffic().bidirectional;
        boolean fetches = plan.test().verb().isFetch();
        text.append("                    ").append(title(' '));
        fields.put("test", title('_'));
        if (plan.traffic().events) {
            text.append("\n Test with events. Using " + setup.device() + "_comp0");
            fields.put("Test with events", "Using_" + setup.device() + "_comp0");
        }
        add("\n Dual-port       : ", "Dual_port", onOff(false));
        add("\t\tDevice         : ", "Device", setup.device());
        add("\n Number of qps   : ", "Number_of_qps", plan.queues().pairs);
        add("\t\tTransport type : ", "Transport_type", transport());
        add("\n Connection type : ", "Connection_type", plan.traffic().transport);
        add("\t\tUsing SRQ      : ", "Using_SRQ", onOff(plan.queues().shared));
        add("\n PCIe relax order: ", "PCIe_relax_order", onOff(plan.place().relaxedOrdering));
        add("\n ibv_wr* API     : ", "ibv_wr_API", onOff(false));
        if (plan.isClient() || bothWays) {
            add("\n TX depth        : ", "TX_depth", plan.queues().txDepth);
        }
        if (plan.queues().postList > 1) {
            add("\n Post List       : ", "Post_List", plan.queues().postList);
        }
        if (plan.isSend() && (!plan.isClient() || bothWays)) {
            add("\n RX depth        : ", "RX_depth", plan.queues().rxDepth);
        }
        if (plan.test().isBandwidth()) {
            add("\n CQ Moderation   : ", "CQ_Moderation", plan.queues().cqMod);
        }
        add("\n Mtu             : ", "Mtu", terms.mtu().bytes(), "[B]");
        add("\n Link type       : ", "Link_type", link());
        setup.gid().ifPresent(gid -> add("\n GID index       : ", "GID_index", gid.index()));
        if (fetches) {
            add("\n Outstand reads  : ", "Outstand_reads", setup.outReads());
        } else {
            add("\n Max inline data : ", "Max_inline_data", setup.inlineBytes(), "[B]");
        }
        add("\n rdma_cm QPs\t : ", "rdma_cm_QPs", onOff(plan.place().rdmaCm));
        add("\n Data ex. method : ", "Data_ex_method", plan.place().exchangeByCm ? "rdma_cm" : "Ethernet");
    }

    /** Adds a fact: what precedes it in the text, its name in the JSON, and what it is. */
    private void add(String before, String name, Object fact) {
        add(before, name, fact, "");
    }

    private void add(String before, String name, Object fact, String unit) {
        text.append(before).append(fact).append(unit);
        fields.put(name, fact);
    }

    /** The title, with blanks for the terminal and underscores for the JSON. */
    private String title(char between) {
        var words = new StringJoiner(String.valueOf(between));
        words.add(plan.test().verb().title());
        if (plan.test().verb() == Verb.ATOMIC) {
            words.add(plan.traffic().atomic == SendOpcode.ATOMIC_FETCH_AND_ADD ? "FETCH_AND_ADD" : "CMP_AND_SWAP");
        }
        if (plan.test().isBandwidth()) {
            if (plan.traffic().bidirectional) {
                words.add("Bidirectional");
            }
            if (plan.queues().postList > 1) {
                words.add("Post" + between + "List");
            }
            words.add("BW");
        } else {
            words.add("Latency");
        }
        return words.add("Test").toString();
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>(text.toString().lines().toList());
        if (plan.place().rdmaCm && !plan.isClient()) {
            lines.add(LatencyReport.RULE);
            lines.add(" Waiting for client rdma_cm QP to connect");
            lines.add(" Please run the same command with the IB/RoCE interface IP");
        }
        return lines;
    }

    /** perftest's JSON. It has no place for our percentiles. */
    Map<String, Object> json(Map<String, Object> results) {
        var json = new LinkedHashMap<String, Object>();
        json.put("test_info", fields);
        json.put("results", results);
        return json;
    }

    private static String onOff(boolean on) {
        return on ? "ON" : "OFF";
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
        if (!plan.place().exchangeByCm && (verb == Verb.READ || verb == Verb.WRITE)) {
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
