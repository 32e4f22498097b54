// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.isthmus.perf.tools.PerftestException;
import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a session guarantees: the same test on both ends, a rate, and no garbage per message. */
@Tag("device")
class PerftestLimitsTest {

    /**
     * Enough that the JVM creates in the first session what it creates for a method handle after some hundred calls.
     */
    private static final int MORE = 1000;

    /** At least the depth of the queues: what is created for each of their places stays the same for more. */
    private static final int FEW = 40;

    private static final int SMALLEST_OBJECT = 16;
    private static final int ROUNDS = 4;

    private TwoEnds ends;

    @BeforeEach
    void chooseDevices() {
        ends = new TwoEnds();
    }

    @AfterEach
    void endPrograms() {
        ends.close();
    }

    /** Nothing in the exchange names the test. The mismatch ends in one line, during the run at the latest. */
    @ParameterizedTest
    @Tag("extended") // each waits for a program that is silent
    @CsvSource({
        "SEND_LAT, READ_LAT",
        "READ_LAT, SEND_LAT",
        "WRITE_LAT, SEND_LAT",
        "ATOMIC_LAT, READ_LAT",
        "SEND_BW, WRITE_BW",
        "WRITE_BW, READ_BW",
        "WRITE_BW, SEND_LAT",
        "READ_BW, SEND_BW"
    })
    void shouldSayThatThePeerRunsAnotherTest(PerfTest theirs, PerfTest ours) throws Exception {
        int port = TwoEnds.freePort();
        Process other = ends.startC(theirs, port, "-n 20 -s 8");
        Plan plan = ends.client(ours, port, "-n 20 -s 8 --silence 3");
        var e = assertThrows(PerftestException.class, () -> Perftest.run(plan, TwoEnds.LIMIT, TwoEnds.QUIET));
        assertOneLine(e);
        assertTrue(other.waitFor(TwoEnds.LIMIT.toSeconds(), TimeUnit.SECONDS), "C waits on");
        assertNotEquals(0, other.exitValue());
    }

    @ParameterizedTest
    @Tag("extended") // each waits for a program that is silent
    @CsvSource({"SEND_LAT, READ_LAT", "WRITE_LAT, SEND_LAT", "SEND_BW, READ_BW"}) // C's write_lat would wait for ever
    void shouldSayThatTheClientRunsAnotherTest(PerfTest ours, PerfTest theirs) throws Exception {
        int port = TwoEnds.freePort();
        CompletableFuture<Void> server = TwoEnds.start(ends.server(ours, port, "-n 20 -s 8 --silence 3 --run-limit 3"));
        Process other = ends.startCClient(theirs, port, "-n 20 -s 8");
        var e = assertThrows(ExecutionException.class, () -> server.get(TestDeadlines.seconds(90), TimeUnit.SECONDS));
        assertOneLine(e.getCause());
        assertTrue(other.waitFor(TwoEnds.LIMIT.toSeconds(), TimeUnit.SECONDS), "C waits on");
    }

    private static void assertOneLine(Throwable e) {
        assertInstanceOf(PerftestException.class, e);
        assertEquals(1, e.getMessage().lines().count(), e.getMessage());
        assertTrue(e.getMessage().contains("same") || e.getMessage().contains("closed"), e.getMessage());
    }

    @Test
    void shouldKeepToARate() throws Exception {
        int port = TwoEnds.freePort();
        String flags = "-n 60 -s 64 --rate_limit 200 --rate_units p --burst_size 10";
        CompletableFuture<Void> server = TwoEnds.start(ends.server(PerfTest.WRITE_BW, port, flags));
        var rates = new ArrayList<Double>();
        Perftest.run(ends.client(PerfTest.WRITE_BW, port, flags), TwoEnds.LIMIT, new Observer() {
            @Override
            public void bandwidth(Bandwidth mine, Optional<Bandwidth> theirs) {
                rates.add(mine.messageRate() * 1e6);
            }
        });
        server.get(TwoEnds.LIMIT.toSeconds(), TimeUnit.SECONDS);
        // six bursts with five gaps of 50 ms between them
        assertTrue(rates.getFirst() > 0 && rates.getFirst() <= 60 / 0.25, rates.toString());
    }

    @ParameterizedTest
    @CsvSource({"SEND_LAT, -s 64 -r 32", "READ_LAT, -s 64"})
    void shouldAllocateNothingPerMessage(PerfTest test, String flags) throws Exception {
        long times = Long.BYTES * MORE; // the points of time that a latency test keeps
        assertNothing(iterations -> allocatedBy(test, flags, iterations), times);
    }

    @Test
    void shouldAllocateNothingPerMessageThatComesOrDoesNotYetCome() throws Exception {
        assertNothing(this::allocatedByReceiver, 0);
    }

    /** Runs a session with this many messages, and returns how much its thread has allocated in it. */
    private interface Session {
        long allocatedBy(int iterations) throws Exception;
    }

    /**
     * An object in every fourth message would be too much. There are some rounds: after some hundred calls the JVM
     * spins a class for a method handle, 31 KB each on this thread, and a handle that a session calls but now and then
     * comes to that in any of the first sessions; what a message allocates is in all rounds. In a session of few
     * messages such a class would hide what many allocate: a round that comes out far below nothing is none, either.
     */
    private static void assertNothing(Session session, long kept) throws Exception {
        session.allocatedBy(FEW + MORE); // loads the classes
        List<Long> rounds = new ArrayList<>();
        while (rounds.size() < ROUNDS) {
            long few = session.allocatedBy(FEW);
            long bytes = session.allocatedBy(FEW + MORE) - few - kept;
            if (Math.abs(bytes) < SMALLEST_OBJECT / 4 * MORE) {
                return;
            }
            rounds.add(bytes);
        }
        throw new AssertionError(rounds + " bytes for " + MORE + " messages, in the rounds");
    }

    /** How much the thread allocates in a whole session with a C client. */
    private long allocatedByReceiver(int iterations) throws Exception {
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        int port = TwoEnds.freePort();
        var listening = new CompletableFuture<Void>();
        CompletableFuture<Process> client = listening.thenApplyAsync(ignored -> {
            try {
                return ends.startCClient(PerfTest.SEND_BW, port, "-N -s 64 -r 32 -n " + iterations);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        Plan plan = ends.server(PerfTest.SEND_BW, port, "-N -s 64 -r 32 -n " + iterations);
        long before = threads.getCurrentThreadAllocatedBytes();
        Perftest.run(plan, TwoEnds.LIMIT, new Observer() {
            @Override
            public void waiting() {
                listening.complete(null);
            }
        });
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertTrue(client.get().waitFor(TwoEnds.LIMIT.toSeconds(), TimeUnit.SECONDS), "C waits on");
        return allocated;
    }

    /** How much the thread allocates in a whole session with a C server. */
    private long allocatedBy(PerfTest test, String flags, int iterations) throws Exception {
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        int port = TwoEnds.freePort();
        ends.startC(test, port, flags + " -n " + iterations);
        Plan plan = ends.client(test, port, flags + " -n " + iterations);
        long before = threads.getCurrentThreadAllocatedBytes();
        Perftest.run(plan, TwoEnds.LIMIT, TwoEnds.QUIET);
        return threads.getCurrentThreadAllocatedBytes() - before;
    }
}
