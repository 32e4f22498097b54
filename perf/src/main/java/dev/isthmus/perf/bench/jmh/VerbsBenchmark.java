// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.jmh;

import static dev.isthmus.verbs.AccessFlag.LOCAL_WRITE;
import static dev.isthmus.verbs.AccessFlag.REMOTE_WRITE;
import static dev.isthmus.verbs.QueuePairType.RC;

import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.GidEntry;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.RegisteredMemory;
import dev.isthmus.verbs.SendRequest;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/** The steps before messages are sent; {@code isthmus perf instructions} counts what posts and polls cost. */
public class VerbsBenchmark extends ThreadBenchmark {

    private static final int BYTES = 64;
    private static final int DEPTH = 16;

    private DeviceContext context;
    private ProtectionDomain pd;
    private RegisteredMemory memory;
    private CompletionQueue queue;
    private SendRequest prepared;
    private long number;

    /** Runs on the measuring thread, as queues belong to a thread. */
    @Setup(Level.Trial)
    public void open() {
        context = Device.first().open();
        pd = context.allocateProtectionDomain();
        memory = pd.allocate(BYTES, LOCAL_WRITE, REMOTE_WRITE);
        queue = context.createCompletionQueue(DEPTH);
        prepared = SendRequest.prepare(memory.region());
    }

    /** Runs on the measuring thread. */
    @TearDown(Level.Trial)
    public void close() {
        queue.close();
        memory.close();
        pd.close();
        context.close();
    }

    /**
     * A new request, with its off-heap memory. A program that prepared one for each message would pay this for each: it
     * is why requests are kept.
     */
    @Benchmark
    public SendRequest prepareRequest() {
        return SendRequest.prepare(memory.region())
                .range(0, BYTES)
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
        GidEntry gid = context.defaultGid(1);
        try (QueuePair one = pd.createQueuePair(RC, queue, queue);
                QueuePair other = pd.createQueuePair(RC, queue, queue)) {
            one.connect(gid, other.address(gid));
            other.connect(gid, one.address(gid));
        }
    }
}
