package dev.isthmus.perf.bench;

import static dev.isthmus.verbs.AccessFlag.LOCAL_WRITE;
import static dev.isthmus.verbs.AccessFlag.REMOTE_WRITE;
import static dev.isthmus.verbs.QueuePairType.RC;

import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.GidEntry;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendOpcode;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;

/**
 * Two RC queue pairs of the first device that are connected to each other, and what it takes to send a message from
 * one to the other in one thread: the one that made this. Its timed loops have twins in {@code datapath.c}, line by
 * line: what is changed here is changed there.
 */
public final class RcLoopback implements AutoCloseable {

    /** How many requests a chain has, how many completions a poll has room for, and how often a post is signalled. */
    static final int CHAIN = 16;

    private static final int BYTES = 64;
    private static final int DEPTH = 512;

    /** Completions that are to be there when they are polled for get so long to come. */
    private static final long SETTLE_NANOS = 100_000;

    private final Arena arena = Arena.ofConfined();
    private final DeviceContext context;
    private final ProtectionDomain pd;
    private final MemoryRegion region;
    private final CompletionQueue sendQueue;
    private final CompletionQueue receiveQueue;
    private final QueuePair sender;
    private final QueuePair receiver;
    private final SendRequest send;
    private final SendRequest write;
    private final SendRequest signaledWrite;
    private final SendRequest writes; // a chain, of which the last is signalled
    private final SendRequest signaledWrites; // a chain, of which all are
    private final SendRequest sends; // a chain, of which the last is signalled
    private final ReceiveRequest receive;
    private final WorkCompletions sent;
    private final WorkCompletions received;

    /** Opens the first device and connects. */
    public RcLoopback() {
        context = Device.first().open();
        pd = context.allocateProtectionDomain();
        region = pd.register(arena.allocate(2 * BYTES, 64), LOCAL_WRITE, REMOTE_WRITE);
        sendQueue = context.createCompletionQueue(DEPTH);
        receiveQueue = context.createCompletionQueue(DEPTH);
        sender = pd.createQueuePair(RC, sendQueue, sendQueue, config -> config.maxSendWr(DEPTH));
        receiver = pd.createQueuePair(RC, receiveQueue, receiveQueue);
        GidEntry gid = context.defaultGid(1);
        sender.connect(gid, receiver.address(gid));
        receiver.connect(gid, sender.address(gid));
        send = SendRequest.prepare(region).range(0, BYTES).signaled(true);
        receive = ReceiveRequest.prepare(region).range(BYTES, BYTES);
        write = write(false);
        signaledWrite = write(true);
        writes = chain(i -> write(i == CHAIN - 1));
        signaledWrites = chain(i -> write(true));
        sends = chain(i -> SendRequest.prepare(region).range(0, BYTES).signaled(i == CHAIN - 1));
        sent = WorkCompletions.allocate(CHAIN);
        received = WorkCompletions.allocate(CHAIN);
    }

    private SendRequest write(boolean signaled) {
        return SendRequest.prepare(region)
                .range(0, BYTES)
                .opcode(SendOpcode.RDMA_WRITE)
                .remote(region.address() + BYTES, region.rkey())
                .signaled(signaled);
    }

    private static SendRequest chain(IntFunction<SendRequest> link) {
        SendRequest first = null;
        for (int i = CHAIN - 1; i >= 0; i--) {
            first = link.apply(i).next(first);
        }
        return first;
    }

    /**
     * Sends a message and waits until both ends have their completion.
     *
     * @return the number of bytes that arrived
     */
    public long exchange() {
        if (!receiver.tryPost(receive) || !sender.tryPost(send)) {
            throw full();
        }
        awaitSuccess(sendQueue, sent);
        awaitSuccess(receiveQueue, received);
        return received.byteLength(0);
    }

    private static void awaitSuccess(CompletionQueue queue, WorkCompletions completions) {
        while (queue.poll(completions) == 0) {
            Thread.onSpinWait();
        }
        if (!completions.isSuccess(0)) {
            throw new IllegalStateException("a message failed: " + completions);
        }
    }

    /** Times posts of one RDMA WRITE each, of which every 16th is signalled; drains the queue after that. */
    long posts(int count) {
        long begin = System.nanoTime();
        for (int i = 1; i <= count; i++) {
            if (!sender.tryPost(i % CHAIN == 0 ? signaledWrite : write)) {
                throw full();
            }
        }
        long nanos = System.nanoTime() - begin;
        drain(sendQueue, sent, count / CHAIN);
        return nanos;
    }

    /** Times posts of a chain of 16 RDMA WRITEs, the last signalled; drains the queue after that. */
    long chains(int count) {
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            if (sender.tryPostChain(writes) != null) {
                throw full();
            }
        }
        long nanos = System.nanoTime() - begin;
        drain(sendQueue, sent, count);
        return nanos;
    }

    /** Times posts of one receive each; has them all used after that. */
    long receives(int count) {
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            if (!receiver.tryPost(receive)) {
                throw full();
            }
        }
        long nanos = System.nanoTime() - begin;
        for (int i = 0; i < count; i += CHAIN) {
            if (sender.tryPostChain(sends) != null) {
                throw full();
            }
        }
        drain(sendQueue, sent, count / CHAIN);
        drain(receiveQueue, received, count);
        return nanos;
    }

    /** Times polls that find nothing. */
    long emptyPolls(int count) {
        int found = 0;
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            found += receiveQueue.poll(received);
        }
        long nanos = System.nanoTime() - begin;
        if (found != 0) {
            throw new IllegalStateException("completions that nobody asked for: " + found);
        }
        return nanos;
    }

    /**
     * Times polls that find 16 completions each and read them. Posts what completes before that, and again when the
     * completions were late.
     */
    long fullPolls(int count) {
        long nanos = -1;
        while (nanos < 0) {
            for (int i = 0; i < count; i++) {
                if (sender.tryPostChain(signaledWrites) != null) {
                    throw full();
                }
            }
            LockSupport.parkNanos(SETTLE_NANOS);
            nanos = pollFull(count);
        }
        return nanos;
    }

    private long pollFull(int count) {
        int found = 0;
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            int polled = sendQueue.poll(sent);
            checkSuccess(sent, polled);
            found += polled;
        }
        long nanos = System.nanoTime() - begin;
        drain(sendQueue, sent, count * CHAIN - found);
        return found == count * CHAIN ? nanos : -1;
    }

    private static void drain(CompletionQueue queue, WorkCompletions completions, int count) {
        int left = count;
        while (left > 0) {
            int polled = queue.poll(completions);
            checkSuccess(completions, polled);
            left -= polled;
        }
    }

    private static void checkSuccess(WorkCompletions completions, int count) {
        for (int i = 0; i < count; i++) {
            if (!completions.isSuccess(i)) {
                throw new IllegalStateException("a request failed: " + completions);
            }
        }
    }

    private static IllegalStateException full() {
        return new IllegalStateException("a queue is full, though it is drained");
    }

    /** The device and the index of its GID, as {@code datapath.c} takes them. */
    List<String> place() {
        return List.of(
                context.device().name(), Integer.toString(context.defaultGid(1).index()));
    }

    /** Closes all of it. */
    @Override
    public void close() {
        sender.close();
        receiver.close();
        sendQueue.close();
        receiveQueue.close();
        region.close();
        pd.close();
        context.close();
        arena.close();
    }
}
