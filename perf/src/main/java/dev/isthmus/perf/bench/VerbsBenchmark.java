// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench;

import dev.isthmus.verbs.SendRequest;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Messages between two RC queue pairs of one device, and what it takes to get there, in one thread. What posts and polls
 * cost by themselves, {@code isthmus perf instructions} counts.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class VerbsBenchmark {

    private RcLoopback loopback;
    private SendRequest prepared;
    private long number;

    /** Made by the thread that measures, as queues belong to one. */
    @Setup(Level.Trial)
    public void open() {
        loopback = new RcLoopback();
        prepared = SendRequest.prepare(loopback.region());
    }

    /** Closed by it, too. */
    @TearDown(Level.Trial)
    public void close() {
        loopback.close();
    }

    /**
     * A message of 64 bytes: a post to each of two connected queue pairs, and polling until both completions are there. It
     * is what a program waits for when it sends one message after the other.
     *
     * @return what keeps the JIT from leaving it out
     */
    @Benchmark
    public long postAndPoll() {
        return loopback.exchange();
    }

    /**
     * A poll that finds nothing: how often a program that waits can look.
     *
     * @return what keeps the JIT from leaving it out
     */
    @Benchmark
    public int emptyPoll() {
        return loopback.emptyPoll();
    }

    /**
     * A new request, with its memory outside of the heap. A program that prepared one for each message would pay this on
     * top of each: it is why requests are kept.
     *
     * @return what keeps the JIT from leaving it out
     */
    @Benchmark
    public SendRequest prepareRequest() {
        return SendRequest.prepare(loopback.region())
                .range(0, 64)
                .signaled(true)
                .wrId(++number);
    }

    /**
     * The same request with another part of the buffer and another number, changed in place: what a program pays that keeps
     * it.
     *
     * @return what keeps the JIT from leaving it out
     */
    @Benchmark
    public SendRequest changeRequest() {
        return prepared.range(0, 1 + (++number & 63)).wrId(number);
    }

    /** Two queue pairs, made, connected to each other, and closed: what a peer that comes and goes costs, the network apart. */
    @Benchmark
    public void connectPair() {
        loopback.connectAnotherPair();
    }
}
