package dev.isthmus.perf.bench;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Posting and polling, on one device and in one thread. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class VerbsBenchmark {

    private static final int BATCH = RcLoopback.CHAIN;

    private RcLoopback loopback;

    /** Made by the thread that measures, as queues belong to one. */
    @Setup(Level.Trial)
    public void open() {
        loopback = new RcLoopback();
    }

    /** Closed by it, too. */
    @TearDown(Level.Trial)
    public void close() {
        loopback.close();
    }

    /**
     * A post to each of two connected queue pairs, and polling until both completions are there.
     *
     * @return what keeps the JIT from leaving it out
     */
    @Benchmark
    public long postAndPoll() {
        return loopback.exchange();
    }

    /**
     * A post, signalled every 16th time. Its time here, as that of the other posts and full polls, has the rest of the
     * message's way in it: {@code isthmus perf datapath} times the call alone.
     *
     * @return what keeps the JIT from leaving it out
     */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long post() {
        return loopback.posts(BATCH);
    }

    /**
     * A post of a chain of 16.
     *
     * @return what keeps the JIT from leaving it out
     */
    @Benchmark
    public long postChain() {
        return loopback.chains(1);
    }

    /**
     * A post of a receive.
     *
     * @return what keeps the JIT from leaving it out
     */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long postReceive() {
        return loopback.receives(BATCH);
    }

    /**
     * A poll that finds nothing.
     *
     * @return what keeps the JIT from leaving it out
     */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long emptyPoll() {
        return loopback.emptyPolls(BATCH);
    }

    /**
     * A poll that finds 16 completions.
     *
     * @return what keeps the JIT from leaving it out
     */
    @Benchmark
    public long fullPoll() {
        return loopback.fullPolls(1);
    }
}
