package dev.isthmus.perf;

import dev.isthmus.perf.perftest.LatencyReport;
import dev.isthmus.perf.perftest.PerftestDestination;
import dev.isthmus.perf.perftest.SendLat;
import dev.isthmus.perf.perftest.SendLatOptions;
import dev.isthmus.verbs.Gid;
import dev.isthmus.verbs.Mtu;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.StringJoiner;

/** Prints what {@code ib_send_lat} prints above its columns. */
final class SendLatHeader implements SendLat.Listener {

    private final SendLatOptions options;
    private final PrintWriter out;
    private final boolean printed;
    private SendLat.Setup setup;

    /** Of several sessions only the first one has a header. */
    SendLatHeader(SendLatOptions options, PrintWriter out, boolean printed) {
        this.options = options;
        this.out = out;
        this.printed = printed;
    }

    @Override
    public void ready(SendLat.Setup ready) {
        setup = ready;
        if (printed && options.server().isEmpty()) {
            out.println();
            out.println("************************************");
            out.println("* Waiting for client to connect... *");
            out.println("************************************");
            out.flush();
        }
    }

    @Override
    public void connected(Mtu mtu, PerftestDestination mine, PerftestDestination theirs) {
        if (!printed) {
            return;
        }
        out.println(LatencyReport.RULE);
        out.println("                    Send Latency Test");
        out.println(" Dual-port       : OFF\t\tDevice         : " + setup.device());
        out.println(" Number of qps   : 1\t\tTransport type : IB");
        out.println(" Connection type : RC\t\tUsing SRQ      : OFF");
        out.println(" PCIe relax order: Unsupported");
        out.println(" ibv_wr* API     : OFF");
        if (options.server().isPresent()) {
            out.println(" TX depth        : 1");
        } else {
            out.println(" RX depth        : " + setup.receiveDepth());
        }
        out.println(" Mtu             : " + mtu.bytes() + "[B]");
        out.println(" Link type       : " + link());
        setup.gid().ifPresent(gid -> out.println(" GID index       : " + gid.index()));
        out.println(" Max inline data : " + setup.inlineBytes() + "[B]");
        out.println(" rdma_cm QPs\t : OFF");
        out.println(" Data ex. method : Ethernet");
        out.println(LatencyReport.RULE);
        printAddress("local", mine);
        printAddress("remote", theirs);
        out.println(LatencyReport.RULE);
        out.println(LatencyReport.COLUMNS);
        out.flush();
    }

    private String link() {
        return switch (setup.linkLayer()) {
            case ETHERNET -> "Ethernet";
            case INFINIBAND -> "IB";
            default -> "Unknown";
        };
    }

    private void printAddress(String side, PerftestDestination end) {
        out.printf(
                Locale.ROOT,
                " %s address: LID %s QPN %s PSN %s%n",
                side,
                alternateHex(end.lid(), 4),
                alternateHex(end.qpNum(), 6),
                alternateHex(end.psn(), 6));
        end.gid().ifPresent(gid -> out.println(" GID: " + decimal(gid)));
    }

    /** What C's {@code %#0Nx} prints: 0x in front, counted in the width, but not before a zero. */
    private static String alternateHex(int value, int width) {
        return value == 0 ? "0".repeat(width) : String.format("0x%0" + (width - 2) + "x", value);
    }

    /** perftest prints a GID's bytes as decimal numbers. */
    private static String decimal(Gid gid) {
        var text = new StringJoiner(":");
        for (byte b : gid.bytes()) {
            text.add(String.format("%02d", b & 0xff));
        }
        return text.toString();
    }
}
