// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.jmh;

import dev.isthmus.perf.bench.instructions.UcxPair;
import dev.isthmus.ucx.UcpBuffer;
import dev.isthmus.ucx.UcpCompletions;
import dev.isthmus.ucx.UcpFeature;
import dev.isthmus.ucx.UcpWorker;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/** A message between two workers on one thread while other receives are pending, all reported by completions. */
public class UcxPendingBenchmark extends ThreadBenchmark {

    private static final int BYTES = 64;
    private static final long TAG = 7;
    private static final long NEVER_SENT = 1L << 32; // these and more

    /** How many receives wait for messages that are never sent. */
    @Param({"0", "10000"})
    int pending;

    private Arena arena;
    private UcxPair pair;
    private UcpWorker sender;
    private UcpWorker receiver;
    private MemorySegment outgoing;
    private UcpBuffer incoming;
    private UcpCompletions done;

    /** Runs on the measuring thread, as workers belong to a thread. */
    @Setup(Level.Trial)
    public void open() {
        arena = Arena.ofConfined();
        pair = new UcxPair("posix,self", UcpFeature.TAG, UcpFeature.WAKEUP);
        sender = pair.sender;
        receiver = pair.receiver;
        outgoing = arena.allocate(BYTES, 64);
        incoming = UcpBuffer.of(receiver, arena.allocate(BYTES, 64));
        done = UcpCompletions.allocate(16);
        UcpBuffer unused = UcpBuffer.of(receiver, arena.allocate(BYTES, 64));
        for (int i = 0; i < pending; i++) {
            receiver.tagReceive(unused.userData(i), NEVER_SENT + i, UcpWorker.EXACT_TAG);
        }
    }

    /** Runs on the measuring thread. */
    @TearDown(Level.Trial)
    public void close() {
        pair.close();
        arena.close();
    }

    /** A tagged message from one to the other, polled there. */
    @Benchmark
    public long toldExchange() {
        receiver.tagReceive(incoming.userData(1), TAG, UcpWorker.EXACT_TAG);
        long send = pair.there.tagSend(outgoing, 0, BYTES, TAG);
        while (receiver.poll(done) == 0) {
            sender.progress();
            receiver.progress();
        }
        while (!sender.requests().isDone(send)) {
            sender.progress();
        }
        sender.requests().release(send);
        return done.length(0);
    }

    /** What a thread does before it sleeps. */
    @Benchmark
    public boolean arm() {
        return receiver.wakeup().arm();
    }
}
