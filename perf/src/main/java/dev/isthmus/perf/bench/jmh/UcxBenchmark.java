// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.jmh;

import dev.isthmus.perf.bench.instructions.UcxPair;
import dev.isthmus.ucx.UcpFeature;
import dev.isthmus.ucx.UcpRequests;
import dev.isthmus.ucx.UcpWorker;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/** Progress and tagged messages between two workers on one thread. */
public class UcxBenchmark extends ThreadBenchmark {

    private static final int BYTES = 64;
    private static final long TAG = 7;

    /** With self alone, a worker talks to itself; with shared memory as well, there are two workers. */
    @Param({"self", "posix,self"})
    String transports;

    private Arena arena;
    private UcxPair pair;
    private UcpWorker sender;
    private UcpWorker receiver;
    private MemorySegment outgoing;
    private MemorySegment incoming;

    /** Runs on the measuring thread, as workers belong to a thread. */
    @Setup(Level.Trial)
    public void open() {
        arena = Arena.ofConfined();
        pair = new UcxPair(transports, UcpFeature.TAG);
        sender = pair.sender;
        receiver = pair.receiver;
        outgoing = arena.allocate(BYTES, 64);
        incoming = arena.allocate(BYTES, 64);
    }

    /** Runs on the measuring thread. */
    @TearDown(Level.Trial)
    public void close() {
        pair.close();
        arena.close();
    }

    /** Progress with nothing to do. */
    @Benchmark
    public int idleProgress() {
        return receiver.progress();
    }

    /** A tagged message from one to the other. */
    @Benchmark
    public long tagExchange() {
        long receive = receiver.tagReceive(incoming, 0, BYTES, TAG, UcpWorker.EXACT_TAG);
        long send = pair.there.tagSend(outgoing, 0, BYTES, TAG);
        UcpRequests received = receiver.requests();
        while (!received.isDone(receive) || !sender.requests().isDone(send)) {
            sender.progress();
            receiver.progress();
        }
        long length = received.length(receive);
        received.release(receive);
        sender.requests().release(send);
        return length;
    }
}
