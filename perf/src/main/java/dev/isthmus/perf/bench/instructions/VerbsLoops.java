// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.instructions;

import static dev.isthmus.verbs.AccessFlag.LOCAL_WRITE;
import static dev.isthmus.verbs.AccessFlag.REMOTE_ATOMIC;
import static dev.isthmus.verbs.AccessFlag.REMOTE_READ;
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
import dev.isthmus.verbs.SendBatch;
import dev.isthmus.verbs.SendFlag;
import dev.isthmus.verbs.SendOpcode;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Two connected RC queue pairs, and one thread's loops over them. They have twins in {@code verbs.c}, line by line:
 * change both.
 */
public final class VerbsLoops implements AutoCloseable {

    static final int MAX_CHAIN = 16;
    static final int MAX_BYTES = 4096;

    private static final int DEPTH = 1024;
    private static final int COMPLETIONS = 8192;
    private static final int MAX_INLINE = 64;
    static final int SIGNAL_EVERY = 4;
    private static final int SIGNALED = SendFlag.mask(SendFlag.SIGNALED);
    private static final int INLINE = SendFlag.mask(SendFlag.INLINE);

    private final Arena arena = Arena.ofConfined();
    private final DeviceContext context;
    private final ProtectionDomain pd;
    private final MemorySegment memory;
    private final MemoryRegion region;
    private final CompletionQueue sendQueue;
    private final CompletionQueue receiveQueue;
    private final QueuePair sender;
    private final QueuePair receiver;
    private final WorkCompletions sent = WorkCompletions.allocate(MAX_CHAIN);
    private final WorkCompletions received = WorkCompletions.allocate(MAX_CHAIN);
    private final WorkCompletions one = WorkCompletions.allocate(1);

    private int chain;
    private int capacity;
    private int bytes;
    private boolean receiving;
    private boolean inline;
    private SendRequest plain;
    private SendRequest marked;
    private SendRequest sends;
    private ReceiveRequest receives;
    private WorkCompletions polled;

    VerbsLoops(String device) {
        this(device, false, false);
    }

    /** Queue pairs of which inline messages are posted, and batches unless they are direct: those of cards. */
    public static VerbsLoops onCard(String device, boolean direct) {
        return new VerbsLoops(device, true, direct);
    }

    private VerbsLoops(String device, boolean onCard, boolean direct) {
        context = Device.named(device).open();
        pd = context.allocateProtectionDomain();
        memory = arena.allocate(2 * MAX_BYTES, MAX_BYTES);
        region = pd.register(memory, LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC);
        sendQueue = createQueue(onCard, direct);
        receiveQueue = createQueue(onCard, direct);
        sender = createPair(sendQueue, onCard, direct);
        receiver = createPair(receiveQueue, onCard, direct);
        GidEntry gid = context.defaultGid(1);
        sender.connect(gid, receiver.address(gid));
        receiver.connect(gid, sender.address(gid));
    }

    private CompletionQueue createQueue(boolean onCard, boolean direct) {
        return onCard
                ? context.createCompletionQueue(COMPLETIONS, queue -> queue.direct(direct))
                : context.createCompletionQueue(COMPLETIONS);
    }

    private QueuePair createPair(CompletionQueue queue, boolean onCard, boolean direct) {
        QueuePair qp = pd.createQueuePair(RC, queue, queue, config -> {
            config.maxSendWr(DEPTH).maxRecvWr(DEPTH);
            if (onCard) {
                config.maxInline(MAX_INLINE).direct(direct);
                if (!direct) {
                    config.extendedPosting(SendOpcode.SEND, SendOpcode.RDMA_WRITE);
                }
            }
        });
        if (onCard && qp.isDirect() != direct) { // both ways would be one
            throw new IllegalStateException(qp + (direct ? " is not direct: the line above says why" : " is direct"));
        }
        return qp;
    }

    /** Prepares the requests that the loops post, before any is run. */
    public void prepare(VerbsRow row) {
        chain = row.chain();
        capacity = chain;
        bytes = row.bytes();
        receiving = row.opcode() == SendOpcode.SEND;
        inline = row.isInline();
        polled = capacity == 1 ? one : sent;
        plain = request(row, false);
        marked = request(row, true);
        sends = null;
        receives = null;
        for (int i = chain - 1; i >= 0; i--) {
            sends = request(row, i == chain - 1).next(sends);
            receives =
                    ReceiveRequest.prepare(region).range(MAX_BYTES, row.bytes()).next(receives);
        }
    }

    private SendRequest request(VerbsRow row, boolean signaled) {
        SendRequest request = SendRequest.prepare(region)
                .range(0, row.bytes())
                .signaled(signaled)
                .inline(row.isInline());
        long remote = region.address() + MAX_BYTES;
        return switch (row.opcode()) {
            case SEND -> request;
            case RDMA_WRITE, RDMA_READ -> request.opcode(row.opcode()).remote(remote, region.rkey());
            case ATOMIC_FETCH_AND_ADD -> request.fetchAndAdd(remote, region.rkey(), 1);
            case ATOMIC_CMP_AND_SWP -> request.compareAndSwap(remote, region.rkey(), 1, 1);
            default -> throw new IllegalArgumentException("no loop posts " + row.opcode());
        };
    }

    /** The loop of a row. */
    public Blocks.Loop loop(VerbsRow row) {
        boolean send = row.opcode() == SendOpcode.SEND;
        return switch (row.way()) {
            case MESSAGE -> send ? this::messages : this::accesses;
            case CHAIN -> send ? this::messageChains : this::accessChains;
            case POST -> this::posts;
            case POST_UNSIGNALED -> this::unsignaledPosts;
            case POST_SIGNALED -> this::signaledPosts;
            case POST_CHAIN -> this::chainPosts;
            case BATCH -> this::batches;
            case RECEIVE_CHAIN -> this::receiveChainPosts;
            case RECEIVE -> this::receivePosts;
            case EMPTY_POLL -> this::emptyPolls;
            case FULL_POLL -> this::fullPolls;
        };
    }

    private long messages(int count) {
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            if (!receiver.tryPost(receives) || !sender.tryPost(marked)) {
                throw full();
            }
            await(sendQueue, sent, 1);
            await(receiveQueue, received, 1);
        }
        return System.nanoTime() - begin;
    }

    private long messageChains(int count) {
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            if (receiver.tryPostChain(receives) != null || sender.tryPostChain(sends) != null) {
                throw full();
            }
            await(sendQueue, sent, 1);
            await(receiveQueue, received, chain);
        }
        return System.nanoTime() - begin;
    }

    private long accesses(int count) {
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            if (!sender.tryPost(marked)) {
                throw full();
            }
            await(sendQueue, sent, 1);
        }
        return System.nanoTime() - begin;
    }

    private long accessChains(int count) {
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            if (sender.tryPostChain(sends) != null) {
                throw full();
            }
            await(sendQueue, sent, 1);
        }
        return System.nanoTime() - begin;
    }

    private long posts(int count) {
        long begin = System.nanoTime();
        for (int i = 1; i <= count; i++) {
            if (!sender.tryPost(i % SIGNAL_EVERY == 0 ? marked : plain)) {
                throw full();
            }
        }
        long nanos = System.nanoTime() - begin;
        await(sendQueue, sent, count / SIGNAL_EVERY);
        return nanos;
    }

    private long unsignaledPosts(int count) {
        postReceives(count + 1);
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            if (!sender.tryPost(plain)) {
                throw full();
            }
        }
        long nanos = System.nanoTime() - begin;
        if (!sender.tryPost(marked)) {
            throw full();
        }
        awaitAll(1, count + 1);
        return nanos;
    }

    private long signaledPosts(int count) {
        postReceives(count);
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            if (!sender.tryPost(marked)) {
                throw full();
            }
        }
        long nanos = System.nanoTime() - begin;
        awaitAll(count, count);
        return nanos;
    }

    private long chainPosts(int count) {
        postReceives(count);
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            if (sender.tryPostChain(sends) != null) {
                throw full();
            }
        }
        long nanos = System.nanoTime() - begin;
        awaitAll(count, count * chain);
        return nanos;
    }

    private long batches(int count) {
        postReceives(count);
        SendBatch batch = sender.sendBatch();
        long remote = region.address() + MAX_BYTES;
        int rkey = region.rkey();
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            batch.start();
            for (int left = chain; left > 0; left--) {
                batch.next(0, (left == 1 ? SIGNALED : 0) | (inline ? INLINE : 0));
                if (receiving) {
                    batch.send();
                } else {
                    batch.write(remote, rkey);
                }
                if (inline) {
                    batch.inline(memory, 0, bytes);
                } else {
                    batch.sge(region, 0, bytes);
                }
            }
            if (!batch.complete()) {
                throw full();
            }
        }
        long nanos = System.nanoTime() - begin;
        awaitAll(count, count * chain);
        return nanos;
    }

    private long receiveChainPosts(int count) {
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            if (receiver.tryPostChain(receives) != null) {
                throw full();
            }
        }
        long nanos = System.nanoTime() - begin;
        for (int i = 0; i < count; i++) {
            if (sender.tryPostChain(sends) != null) {
                throw full();
            }
        }
        awaitAll(count, count * chain);
        return nanos;
    }

    /** Posts the receives that this many operations need. */
    private void postReceives(int operations) {
        for (int i = 0; receiving && i < operations; i++) {
            if (receiver.tryPostChain(receives) != null) {
                throw full();
            }
        }
    }

    /** A simulated card that has no thread of its own works while the program yields the processor. */
    @SuppressWarnings("ThreadPriorityCheck")
    private static void letCardWork() {
        Thread.yield();
    }

    private void awaitAll(int sendCompletions, int receiveCompletions) {
        letCardWork();
        await(sendQueue, sent, sendCompletions);
        await(receiveQueue, received, receiving ? receiveCompletions : 0);
    }

    private long receivePosts(int count) {
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            if (!receiver.tryPost(receives)) {
                throw full();
            }
        }
        long nanos = System.nanoTime() - begin;
        for (int i = 1; i <= count; i++) {
            if (!sender.tryPost(i % SIGNAL_EVERY == 0 ? marked : plain)) {
                throw full();
            }
        }
        letCardWork();
        await(sendQueue, sent, count / SIGNAL_EVERY);
        await(receiveQueue, received, count);
        return nanos;
    }

    private long emptyPolls(int count) {
        int found = 0;
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            found += receiveQueue.poll(received);
        }
        long nanos = System.nanoTime() - begin;
        if (found != 0) {
            throw new IllegalStateException("unexpected completions: " + found);
        }
        return nanos;
    }

    private long fullPolls(int count) {
        while (true) {
            for (int i = 0; i < count * capacity; i++) {
                if (!sender.tryPost(marked)) {
                    throw full();
                }
            }
            letCardWork();
            int found = 0;
            long begin = System.nanoTime();
            for (int i = 0; i < count; i++) {
                int now = sendQueue.poll(polled);
                check(polled, now);
                found += now;
            }
            long nanos = System.nanoTime() - begin;
            await(sendQueue, sent, count * capacity - found);
            if (found == count * capacity) {
                return nanos;
            }
        }
    }

    private static void await(CompletionQueue queue, WorkCompletions completions, int count) {
        int left = count;
        while (left > 0) {
            int found = queue.poll(completions);
            check(completions, found);
            left -= found;
        }
    }

    private static void check(WorkCompletions completions, int count) {
        for (int i = 0; i < count; i++) {
            if (!completions.isSuccess(i)) {
                throw new IllegalStateException("a request failed: " + completions);
            }
        }
    }

    private static IllegalStateException full() {
        return new IllegalStateException("a queue is full, although it is drained");
    }

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
