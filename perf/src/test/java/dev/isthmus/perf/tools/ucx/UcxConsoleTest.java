// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class UcxConsoleTest {

    private static final UcxResult RESULT =
            new UcxResult(20000, 0.205e-6, 18.863e-6, 69.881e-6, 0.40 * (1 << 20), 0.11 * (1 << 20), 53015, 14310);

    /** What ucx_perftest of UCX 1.13.1 printed. */
    @Test
    void shouldPrintTheColumnsOfC() {
        assertEquals("""
                +--------------+--------------+------------------------------+---------------------+-----------------------+
                |              |              |        latency (usec)        |   bandwidth (MB/s)  |  message rate (msg/s) |
                +--------------+--------------+----------+---------+---------+----------+----------+-----------+-----------+
                |    Stage     | # iterations | 50.0%ile | average | overall |  average |  overall |  average  |  overall  |
                +--------------+--------------+----------+---------+---------+----------+----------+-----------+-----------+
                [thread 0]             20000      0.205    18.863    69.881        0.40       0.11       53015       14310
                Final:                 20000      0.205    18.863    69.881        0.40       0.11       53015       14310
                """, UcxPlans.printed("-t tag_lat host", RESULT, RESULT));
    }

    @Test
    void shouldFindTheFiguresOfC() throws IOException {
        String line =
                "Final:                100000      0.303     0.306     0.307       24.93      24.95     3267063     3267065";
        String before = "         1000      9.000     9.000     9.000        1.00       1.00     1000000     1000000\n";
        UcxPerftest.Results all = UcxPerftest.parse("+-----+\n" + before + line + "\n");
        assertEquals(new UcxPerftest.Results(0.303, 0.307, 3267065), all);
        assertEquals(
                69.881,
                UcxPerftest.parse(UcxPlans.printed("-t tag_lat -f host", RESULT))
                        .averageMicros());
        assertThrows(IOException.class, () -> UcxPerftest.parse("[error] no transport\n"));
    }

    @Test
    void shouldPrintTheTestAtTheServer() {
        assertEquals("""
                +----------------------------------------------------------------------------------------------------------+
                | API:          protocol layer                                                                             |
                | Test:         am bandwidth / message rate                                                                |
                | Data layout:  (automatic)                                                                                |
                | Send memory:  host                                                                                       |
                | Recv memory:  host                                                                                       |
                | Message size: 8                                                                                          |
                | AM header size: 16                                                                       |
                +----------------------------------------------------------------------------------------------------------+
                """, UcxPlans.printed("-t ucp_am_bw -H 16", RESULT));
    }

    @Test
    void shouldPrintOtherStyles() {
        String csv = UcxPlans.printed("-t tag_bw -v host", RESULT);
        assertEquals("""
                iterations,50.0_percentile_lat,avg_lat,overall_lat,avg_bw,overall_bw,avg_mr,overall_mr
                20000,0.205,18.863,69.881,0.40,0.11,53015,14310
                """, csv);
        assertTrue(UcxPlans.printed("-t tag_bw -N host", RESULT).contains(" 20,000 "));
        String last = UcxPlans.printed("-t tag_bw -f host", RESULT, RESULT);
        assertFalse(last.contains("[thread"));
        assertTrue(last.contains("overhead (usec)"));
    }

    @Test
    void shouldTellTimeBothWays() {
        List<UcxResult> reports = new ArrayList<>();
        var clock = new UcxClock(UcxPlans.of("-t tag_lat -s 100 host"), Optional.empty(), reports::add);
        clock.start(0);
        for (int i = 1; i <= 100; i++) {
            clock.stamp(32, i * 32_000L * (i == 100 ? 400 : 1));
        }
        assertEquals(1, reports.size());
        UcxResult result = reports.getFirst();
        assertEquals(3200, result.iterations());
        assertEquals(0.5e-6, result.percentile(), 1e-12);
        assertEquals(1.28 / 3200 / 2, result.latency(), 1e-12);
        assertEquals(3200 * 100 / 1.28 * 2, result.bandwidth(), 1e-3);
        assertEquals(3200 / 1.28 * 2, result.rate(), 1e-6);
    }
}
