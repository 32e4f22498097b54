// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.verbs.QueuePairType;
import dev.isthmus.verbs.SendOpcode;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("unit")
class PlanTest {

    private static Plan plan(PerfTest test, String flags) {
        return flags.isEmpty() ? Plan.of(test) : Plan.of(test, flags.split(" ", -1));
    }

    @ParameterizedTest
    @CsvSource({
        "SEND_LAT, 2, 1000, 1, 512, 1",
        "WRITE_LAT, 2, 1000, 1, 1, 1",
        "READ_LAT, 2, 1000, 1, 1, 1",
        "ATOMIC_LAT, 8, 1000, 1, 1, 1",
        "SEND_BW, 65536, 1000, 128, 512, 1",
        "WRITE_BW, 65536, 5000, 128, 1, 1",
        "READ_BW, 65536, 1000, 128, 1, 1",
        "ATOMIC_BW, 8, 1000, 128, 1, 100"
    })
    void shouldHaveTheDefaultsOfTheCProgram(PerfTest test, int bytes, int iterations, int tx, int rx, int cqMod) {
        Plan plan = Plan.of(test);
        assertEquals(bytes, plan.bytes());
        assertEquals(iterations, plan.traffic().iterations);
        assertEquals(tx, plan.queues().txDepth);
        assertEquals(rx, plan.queues().rxDepth);
        assertEquals(cqMod, plan.queues().cqMod);
        assertEquals(18515, plan.place().tcpPort);
        assertEquals(QueuePairType.RC, plan.traffic().transport);
        assertEquals(SendOpcode.ATOMIC_FETCH_AND_ADD, plan.traffic().atomic);
        assertFalse(plan.isClient());
    }

    @ParameterizedTest
    @CsvSource({
        "-n 7, 8", // even
        "-n 100, 100",
        "-n 5000, 512",
        "-c UD -n 5000, 5000", // a receive for each, as nothing is sent again
        "-c UC -n 100000, 16000",
        "-c UD -n 5000 -r 64, 64",
        "-a -n 7, 7"
    })
    void shouldPostAsManyReceivesAheadAsTheCProgram(String flags, int receives) {
        assertEquals(receives, plan(PerfTest.SEND_BW, flags).queues().rxDepth);
    }

    @ParameterizedTest
    @CsvSource({
        "-s 8, 100",
        "-s 8193, 1",
        "-s 8193 -Q 50, 50",
        "-a, 100",
        "-s 8 -t 10, 10",
        "-s 8 -n 20, 20",
        "-s 8 -l 20, 20",
        "-s 8 -l 20 -Q 5, 5",
        "-s 8193 -c UC, 1"
    })
    void shouldSignalAsOftenAsTheCProgram(String flags, int every) {
        assertEquals(every, plan(PerfTest.WRITE_BW, flags).queues().cqMod);
    }

    @ParameterizedTest
    @CsvSource({"4K, 4096", "1M, 1048576", "1, 1", "300000, 300000"})
    void shouldReadSizes(String text, int bytes) {
        assertEquals(bytes, plan(PerfTest.WRITE_BW, "-s " + text).bytes());
    }

    /** write_lat polls a message's last byte, which must not arrive before the others. */
    @Test
    void shouldRegisterMemoryWithRelaxedOrderingAsTheCProgramDoes() {
        for (PerfTest test : PerfTest.values()) {
            assertEquals(test != PerfTest.WRITE_LAT, Plan.of(test).place().relaxedOrdering, test.command());
            assertFalse(plan(test, "--disable_pcie_relaxed").place().relaxedOrdering, test.command());
        }
    }

    @Test
    void shouldLookForThePeakAsTheCProgramDoes() {
        assertTrue(plan(PerfTest.WRITE_BW, "").reporting().peak);
        assertFalse(plan(PerfTest.WRITE_BW, "-N").reporting().peak);
        assertFalse(plan(PerfTest.WRITE_BW, "-n 20001").reporting().peak);
        assertFalse(plan(PerfTest.WRITE_BW, "-D 4").reporting().peak);
        assertFalse(plan(PerfTest.SEND_BW, "").reporting().peak);
        assertTrue(plan(PerfTest.SEND_BW, "host").reporting().peak);
        assertTrue(plan(PerfTest.SEND_BW, "-b").reporting().peak);
    }

    @Test
    void shouldLeaveAQuarterOfADurationOutAtEachEnd() {
        assertEquals(2, plan(PerfTest.READ_BW, "-D 8").traffic().margin);
        assertEquals(0, plan(PerfTest.READ_BW, "-D 8 -f 0").traffic().margin);
        assertEquals(0, plan(PerfTest.READ_BW, "-D 8").traffic().iterations);
    }

    @Test
    void shouldSpreadARateOverBursts() {
        BandwidthSender.RateLimit rate = plan(
                        PerfTest.WRITE_BW, "-s 1000 --rate_limit 8 --rate_units g --burst_size 10")
                .traffic()
                .rate
                .orElseThrow();
        assertEquals(10_000, rate.gapNanos(1000)); // a million messages a second
        assertEquals(
                128,
                plan(PerfTest.WRITE_BW, "--rate_limit 8")
                        .traffic()
                        .rate
                        .orElseThrow()
                        .burst());
        assertEquals(1_000_000_000L, new BandwidthSender.RateLimit(1, "M", 1).gapNanos(1 << 20));
        assertEquals(500_000_000L, new BandwidthSender.RateLimit(2, "p", 1).gapNanos(64));
    }

    @ParameterizedTest
    @CsvSource({
        "SEND_LAT, -s 0, message size",
        "SEND_LAT, -s 2G, message size",
        "SEND_LAT, -s -4, message size",
        "SEND_LAT, -n 4, iterations",
        "SEND_LAT, -q 2, bandwidth",
        "SEND_LAT, -l 2, bandwidth",
        "SEND_LAT, -b, bandwidth",
        "SEND_LAT, -N, bandwidth",
        "SEND_LAT, -c XRC, not supported",
        "SEND_LAT, -c DC, not supported",
        "SEND_LAT, -R -c UC, librdmacm",
        "SEND_LAT, -A FETCH_AND_ADD, atomic",
        "SEND_LAT, --listen 10.0.0.1 host, server",
        "SEND_LAT, -x -1, GID",
        "SEND_LAT, -m 1000, MTU",
        "SEND_LAT, -p 65536, port",
        "SEND_LAT, -D 4 -e, events",
        "SEND_LAT, -D 4 -f 2, margins",
        "SEND_LAT, --output bandwidth, latency",
        "SEND_LAT, --out_json --out_json_file /no/such/folder/out.json, cannot write",
        "SEND_BW, --out_json --out_json_file /, cannot write",
        "SEND_BW, -U, latency",
        "SEND_BW, -H, latency",
        "SEND_BW, -n 10 -l 3, multiple",
        "SEND_BW, -t 10 -l 20 -n 100, transmit depth",
        "SEND_BW, -l 20 -Q 3 -n 100, multiple",
        "SEND_BW, --use-srq -q 20 -r 10, shared",
        "SEND_BW, -b --rate_limit 5, rate limiter",
        "SEND_BW, --burst_size 5, rate_limit",
        "SEND_BW, --rate_limit 5 --rate_limit_type HW, rate limiter",
        "WRITE_BW, -c UD, UD",
        "WRITE_BW, -e, WRITE",
        "WRITE_BW, --use-srq, send",
        "WRITE_BW, -r 2, receives",
        "WRITE_BW, -o 2, atomics",
        "READ_LAT, -I 8, inline",
        "READ_LAT, -c UC, UC",
        "ATOMIC_BW, -s 16, 8",
        "ATOMIC_BW, -a, 8",
        "ATOMIC_BW, -A SWAP, CMP_AND_SWAP"
    })
    void shouldRefuseWhatDoesNotGoTogether(PerfTest test, String flags, String why) {
        var e = assertThrows(IllegalArgumentException.class, () -> plan(test, flags));
        assertTrue(e.getMessage().toLowerCase(Locale.ROOT).contains(why.toLowerCase(Locale.ROOT)), e.getMessage());
    }

    @Test
    void shouldCutWhatWasNotAskedForToTheMtu() {
        assertEquals(1024, plan(PerfTest.SEND_BW, "-c UD").within(1024).bytes());
        assertEquals(1024, plan(PerfTest.SEND_BW, "-c UD -a").within(1024).bytes());
        assertEquals(65536, plan(PerfTest.SEND_BW, "-c RC").within(1024).bytes());
        Plan tooLong = plan(PerfTest.SEND_BW, "-c UD -s 2048");
        assertThrows(IllegalArgumentException.class, () -> tooLong.within(1024));
    }

    @Test
    void shouldRunThePowersOfTwo() {
        int[] all = plan(PerfTest.READ_LAT, "-a").sizes();
        assertEquals(23, all.length);
        assertEquals(2, all[0]);
        assertEquals(8 << 20, all[22]);
    }
}
