// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.isthmus.verbs.Gid;
import dev.isthmus.verbs.GidEntry;
import dev.isthmus.verbs.GidType;
import dev.isthmus.verbs.attributes.LinkLayer;
import dev.isthmus.verbs.attributes.Mtu;
import dev.isthmus.verbs.attributes.TransportType;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares our output with what the C programs printed of the same sessions in the testbed. */
@Tag("unit")
class ConsoleTest {

    private static final Gid GID_1 = Gid.of(HexFormat.of().parseHex("00000000000000000000ffff0a000001"));
    private static final Gid GID_2 = Gid.of(HexFormat.of().parseHex("00000000000000000000ffff0a000002"));
    private static final String RULE = LatencyReport.RULE + "\n";
    private static final ObjectMapper JSON =
            new ObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);

    private final StringWriter out = new StringWriter();

    @TempDir
    private Path folder;

    private static Setup setup(String device, Gid gid, int outReads) {
        var entry = new GidEntry(1, 1, gid, GidType.ROCE_V2, 0);
        return new Setup(
                device, TransportType.IB, Mtu.MTU_1024, LinkLayer.ETHERNET, 0, Optional.of(entry), 0, outReads);
    }

    private Console console(PerfTest test, String flags) {
        Plan plan = Plan.of(test, flags.split(" ", -1));
        var console = new Console(plan, new PrintWriter(out), 0);
        boolean fetches = test.verb().isFetch();
        console.connected(
                plan,
                setup("rxe1", GID_2, fetches ? 128 : 1),
                new PerftestSession.Terms(4096, 64, Mtu.MTU_1024),
                List.of(new PerftestDestination(0, 128, 0x11, 0xb7b90f, 0x282, 0x5581d8d11000L, Optional.of(GID_2), 0)),
                List.of(new PerftestDestination(
                        0, 128, 0x11, 0x88a33c, 0x20d, 0x55ea71f77000L, Optional.of(GID_1), 0)));
        return console;
    }

    @Test
    void shouldPrintTheHeadOfIbReadLat() {
        console(PerfTest.READ_LAT, "-n 10 10.0.0.1").columns();
        assertEquals(
                RULE + "                    RDMA_Read Latency Test\n"
                        + " Dual-port       : OFF\t\tDevice         : rxe1\n"
                        + " Number of qps   : 1\t\tTransport type : IB\n"
                        + " Connection type : RC\t\tUsing SRQ      : OFF\n"
                        + " PCIe relax order: ON\n"
                        + " ibv_wr* API     : OFF\n"
                        + " TX depth        : 1\n"
                        + " Mtu             : 1024[B]\n"
                        + " Link type       : Ethernet\n"
                        + " GID index       : 1\n"
                        + " Outstand reads  : 128\n"
                        + " rdma_cm QPs\t : OFF\n"
                        + " Data ex. method : Ethernet\n"
                        + RULE
                        + " local address: LID 0000 QPN 0x0011 PSN 0xb7b90f OUT 0x80 RKey 0x000282 VAddr"
                        + " 0x005581d8d11000\n"
                        + " GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:00:00:02\n"
                        + " remote address: LID 0000 QPN 0x0011 PSN 0x88a33c OUT 0x80 RKey 0x00020d VAddr"
                        + " 0x0055ea71f77000\n"
                        + " GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:00:00:01\n"
                        + RULE
                        + " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]"
                        + "    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec] \n",
                out.toString());
    }

    @Test
    void shouldPrintTheHeadOfIbSendBw() {
        console(PerfTest.SEND_BW, "-n 20 -b -e -q 2 10.0.0.1").columns();
        String head = out.toString();
        assertTrue(
                head.startsWith(RULE + "                    Send Bidirectional BW Test\n"
                        + " Test with events. Using rxe1_comp0\n"),
                head);
        assertTrue(head.contains("""
                         TX depth        : 20
                         RX depth        : 20
                         CQ Moderation   : 20
                         Mtu             : 1024[B]
                         Link type       : Ethernet
                         GID index       : 1
                         Max inline data : 0[B]
                        """), head);
        assertTrue(head.contains(" local address: LID 0000 QPN 0x0011 PSN 0xb7b90f\n GID:"), head);
    }

    @Test
    void shouldPrintTheHeadOfAPostListOverRdmaCm() {
        console(PerfTest.WRITE_BW, "-n 20 -l 4 -R 10.0.0.1").columns();
        String head = out.toString();
        assertTrue(head.contains("                    RDMA_Write Post List BW Test\n"), head);
        assertTrue(head.contains(" TX depth        : 20\n Post List       : 4\n CQ Moderation   : 4\n"), head);
        assertTrue(head.contains(" rdma_cm QPs\t : ON\n Data ex. method : rdma_cm\n"), head);
        assertFalse(head.contains("RKey"), head);
    }

    @Test
    void shouldPrintTheHeadOfAServerOverRdmaCm() {
        console(PerfTest.WRITE_BW, "-n 20 -R").columns();
        assertTrue(
                out.toString()
                        .contains(" Data ex. method : rdma_cm\n" + RULE
                                + " Waiting for client rdma_cm QP to connect\n"
                                + " Please run the same command with the IB/RoCE interface IP\n" + RULE + " local"),
                out.toString());
    }

    @Test
    void shouldPrintTheTitleOfAtomics() {
        console(PerfTest.ATOMIC_BW, "-A CMP_AND_SWAP");
        assertTrue(out.toString().contains("                    Atomic CMP_AND_SWAP BW Test\n"), out.toString());
    }

    @Test
    void shouldWriteJsonThatParsersRead() throws IOException {
        Path file = folder.resolve("out.json");
        Console console = console(PerfTest.SEND_BW, "-n 20 -b -e -q 2 --out_json --out_json_file " + file + " host");
        console.bandwidth(
                new Bandwidth(65536, 40, 6.4, 6.08, 0.0001), Optional.of(new Bandwidth(65536, 40, 6.0, 6.2, 0.000097)));
        assertEquals(JSON.readTree("""
                        {
                          "test_info": {
                            "test": "Send_Bidirectional_BW_Test",
                            "Test with events": "Using_rxe1_comp0",
                            "Dual_port": "OFF",
                            "Device": "rxe1",
                            "Number_of_qps": 2,
                            "Transport_type": "IB",
                            "Connection_type": "RC",
                            "Using_SRQ": "OFF",
                            "PCIe_relax_order": "ON",
                            "ibv_wr_API": "OFF",
                            "TX_depth": 20,
                            "RX_depth": 20,
                            "CQ_Moderation": 20,
                            "Mtu": 1024,
                            "Link_type": "Ethernet",
                            "GID_index": 1,
                            "Max_inline_data": 0,
                            "rdma_cm_QPs": "OFF",
                            "Data_ex_method": "Ethernet"
                          },
                          "results": {
                            "MsgSize": 65536,
                            "n_iterations": 40,
                            "BW_peak": 12.40,
                            "BW_average": 12.28,
                            "MsgRate": 0.000197
                          }
                        }
                        """), JSON.readTree(file.toFile()));
        assertTrue(
                out.toString().endsWith(" 65536      40               12.40              12.28  \t\t   0.000197\n"),
                out.toString());
    }

    @ParameterizedTest
    @CsvSource({"'', t_avg 2.00 percentile_99.9", "--output latency, avg_lat 2.000000"})
    void shouldWriteTheLatencyThatIsAskedForAsJson(String flag, String expected) throws IOException {
        Path file = folder.resolve("out.json");
        console(
                        PerfTest.SEND_LAT,
                        ("-n 5 --out_json --out_json_file " + file + " " + flag + " host").replace("  ", " "))
                .latency(2, new long[] {0, 4_000, 8_000, 12_000, 16_000});
        JsonNode results = JSON.readTree(file.toFile()).get("results");
        String[] words = expected.split(" ", -1);
        assertEquals(0, new BigDecimal(words[1]).compareTo(results.get(words[0]).decimalValue()), results.toString());
        assertEquals(words.length == 3, results.has("percentile_99.9"));
    }

    @Test
    void shouldWriteNullWhereCPrintsInf() throws IOException {
        Path file = folder.resolve("out.json");
        console(PerfTest.READ_LAT, "-D 1 --out_json --out_json_file " + file + " host")
                .timedLatency(2, 0, 1_000_000);
        assertTrue(JSON.readTree(file.toFile()).get("results").get("t_avg").isNull());
    }

    @Test
    void shouldPrintTheTimesSortedAndTheHeadAgain() {
        Console console = console(PerfTest.READ_LAT, "-n 5 -H 10.0.0.1");
        out.getBuffer().setLength(0);
        console.latency(2, new long[] {0, 60_000, 97_220, 137_220, 5_137_220});
        String[] lines = out.toString().split("\n", -1);
        assertEquals("#, usec", lines[0]);
        assertEquals("1, 37.22", lines[1]);
        assertEquals("2, 40", lines[2]);
        assertEquals(LatencyReport.RULE, lines[3]);
        assertEquals(LatencyReport.COLUMNS, lines[4]);
        assertTrue(lines[5].startsWith(" 2       5          37.22  "), lines[5]);
    }

    @Test
    void shouldPrintTheRowOfADurationAsTheCProgram() {
        assertEquals(
                " 2             23609            84.90          11779.01",
                LatencyReport.timedRow(2, 23609, 84.896, 11779.01).stripTrailing());
    }

    @Test
    void shouldPrintOneFigureAloneWhenAskedTo() {
        Console console = console(PerfTest.SEND_LAT, "-n 5 --output latency 10.0.0.1");
        console.columns();
        console.latency(2, new long[] {0, 4_000, 8_000, 12_000, 16_000});
        console.finished();
        assertEquals("2.000000\n", out.toString());
    }

    @Test
    void shouldPrintPercentilesBehindPerftestsColumns() {
        Console console = console(PerfTest.WRITE_LAT, "-n 5 10.0.0.1");
        out.getBuffer().setLength(0);
        console.latency(2, new long[] {0, 4_000, 8_000, 12_000, 2_012_000});
        console.finished();
        List<String> lines = out.toString().lines().toList();
        assertEquals(LatencyReport.RULE, lines.get(1));
        assertEquals(Percentiles.COLUMNS, lines.get(2));
        String[] figures = lines.get(3).strip().split(" +", -1);
        assertEquals("2", figures[0]);
        assertEquals(2.0, Double.parseDouble(figures[1]), 0.002);
        assertEquals(1000.0, Double.parseDouble(figures[6]), 1.0);
        assertEquals(LatencyReport.RULE, lines.get(4));
    }
}
