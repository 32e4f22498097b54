// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.jmh;

import dev.isthmus.verbs.SendRequest;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Messages between two RC queue pairs of one device on one thread, and the steps before them.
 * {@code isthmus perf instructions} counts what posts and polls cost by themselves.
 */
public class VerbsBenchmark extends ThreadBenchmark {

    private RcLoopback loopback;
    private SendRequest prepared;
    private long number;

    /** Runs on the measuring thread, as queues belong to a thread. */
    @Setup(Level.Trial)
    public void open() {
        loopback = new RcLoopback();
        prepared = SendRequest.prepare(loopback.region());
    }

    /** Runs on the measuring thread. */
    @TearDown(Level.Trial)
    public void close() {
        loopback.close();
    }

    /**
     * A message of 64 bytes: a post to each of two connected queue pairs, and polling until both completions have
     * arrived. A program that sends one message after the other waits this long.
     */
    @Benchmark
    public long postAndPoll() {
        return loopback.exchange();
    }

    /** A poll that finds nothing: how often a waiting program can look. */
    @Benchmark
    public int emptyPoll() {
        return loopback.emptyPoll();
    }

    /**
     * A new request, with its off-heap memory. A program that prepared one for each message would pay this for each: it
     * is why requests are kept.
     */
    @Benchmark
    public SendRequest prepareRequest() {
        return SendRequest.prepare(loopback.region())
                .range(0, 64)
                .signaled(true)
                .wrId(++number);
    }

    /**
     * A prepared request gets another part of the buffer and another number in place: what a program pays if it keeps
     * its request.
     */
    @Benchmark
    public SendRequest changeRequest() {
        return prepared.range(0, 1 + (++number & 63)).wrId(number);
    }

    /**
     * Creates two queue pairs, connects them to each other and closes them: the cost of a short-lived peer, apart from
     * the network.
     */
    @Benchmark
    public void connectPair() {
        loopback.connectAnotherPair();
    }
}
