package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The data path allocates nothing: measured by what the JVM says that this thread allocated. */
@Tag("ucx")
class UcpAllocationTest {

    private static final int WARM_UP = 20_000;
    private static final int MEASURED = 20_000;

    private final com.sun.management.ThreadMXBean threads =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldAllocateNothingPerSmallMessage(String tls) {
        measure(tls, 8);
    }

    @ParameterizedTest
    @CsvSource("100000")
    void shouldAllocateNothingPerLargeMessage(long size) {
        measure(UcxTransports.any(), size);
    }

    private void measure(String tls, long size) {
        try (var pair = new UcpPair(tls)) {
            MemorySegment from = pair.arena.allocate(size);
            MemorySegment to = pair.arena.allocate(size);
            int share = size > 10_000 ? 20 : 1; // long messages take their time where processors are emulated
            exchange(pair, from, to, WARM_UP / share);
            // The compiler may still replace code in the first round, which allocates once.
            long least = Long.MAX_VALUE;
            for (int round = 0; round < 3 && least != 0; round++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                exchange(pair, from, to, MEASURED / share);
                least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
            }
            assertEquals(0, least, "bytes allocated by " + MEASURED / share + " exchanges");
        }
    }

    private static void exchange(UcpPair pair, MemorySegment from, MemorySegment to, int count) {
        UcpRequests sent = pair.sender.requests();
        UcpRequests received = pair.receiver.requests();
        for (int i = 0; i < count; i++) {
            long receive = pair.receiver.tagReceive(to, i);
            long send = pair.endpoint.tagSend(from, i);
            while (!received.isDone(receive) || !sent.isDone(send)) {
                pair.receiver.progress();
                pair.sender.progress();
            }
            if (received.length(receive) != from.byteSize() || received.senderTag(receive) != i) {
                throw new AssertionError("wrong message");
            }
            long flush = pair.endpoint.flush();
            while (!sent.isDone(flush)) {
                pair.receiver.progress();
                pair.sender.progress();
            }
            sent.release(flush);
            sent.release(send);
            received.release(receive);
        }
    }
}
