// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.direct;

import dev.isthmus.perf.common.Median;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.QueuePairType;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendOpcode;
import dev.isthmus.verbs.SendRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntToLongFunction;

/** Times calls and whole messages, in nanoseconds. */
final class Times {

    private static final int BYTES = 64;
    private static final int POSTS = 64; // of a block: what the queues hold
    private static final int POLLS = 10_000;
    private static final int WARM_UP_BLOCKS = 300;
    private static final int BLOCKS = 101;
    private static final long MOST_NANOS = 1_000_000_000L; // for either: a simulated card is slow

    private final DirectPair pair;
    private final SendRequest send;
    private final SendRequest write;
    private final SendRequest read;
    private final ReceiveRequest receive;

    private Times(DirectPair pair) {
        this.pair = pair;
        send = SendRequest.prepare(pair.region).range(0, BYTES).signaled(true);
        write = access(SendOpcode.RDMA_WRITE);
        read = access(SendOpcode.RDMA_READ);
        receive = ReceiveRequest.prepare(pair.region).range(DirectPair.BYTES, BYTES);
    }

    private SendRequest access(SendOpcode opcode) {
        return SendRequest.prepare(pair.region)
                .opcode(opcode)
                .range(0, BYTES)
                .remote(pair.target(), pair.region.rkey())
                .signaled(true);
    }

    /** The medians of the blocks by their names. */
    static Map<String, Double> measure(DeviceContext context, boolean direct) {
        Map<String, Double> times = new LinkedHashMap<>();
        try (var pair = new DirectPair(context, QueuePairType.RC, direct)) {
            var loops = new Times(pair);
            times.put("empty poll", median(POLLS, loops::emptyPolls));
            times.put("post of a receive, 64 B", median(POSTS, loops::receivePosts));
            times.put("post of a SEND, 64 B", median(POSTS, loops::sendPosts));
            times.put("post of a WRITE, 64 B", median(POSTS, count -> loops.accessPosts(loops.write, count)));
            times.put("SEND, 64 B, until both ends know", median(POSTS, loops::messages));
            times.put("WRITE, 64 B, until it completes", median(POSTS, count -> loops.accesses(loops.write, count)));
            times.put("READ, 64 B, until it completes", median(POSTS, count -> loops.accesses(loops.read, count)));
        }
        return times;
    }

    private static double median(int count, IntToLongFunction loop) {
        blocks(WARM_UP_BLOCKS, count, loop);
        return Median.of(blocks(BLOCKS, count, loop).stream().mapToDouble(nanos -> nanos / (double) count))
                .orElseThrow();
    }

    private static List<Long> blocks(int most, int count, IntToLongFunction loop) {
        List<Long> blocks = new ArrayList<>();
        long begin = System.nanoTime();
        do {
            blocks.add(loop.applyAsLong(count));
        } while (blocks.size() < most && System.nanoTime() - begin < MOST_NANOS);
        return blocks;
    }

    private long emptyPolls(int count) {
        int found = 0;
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            found += pair.pollReceives();
        }
        long nanos = System.nanoTime() - begin;
        check(found == 0);
        return nanos;
    }

    private long receivePosts(int count) {
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            check(pair.receiver.tryPost(receive));
        }
        long nanos = System.nanoTime() - begin;
        for (int i = 0; i < count; i++) {
            check(pair.sender.tryPost(send));
        }
        drain(count, count);
        return nanos;
    }

    private long sendPosts(int count) {
        for (int i = 0; i < count; i++) {
            check(pair.receiver.tryPost(receive));
        }
        long nanos = posts(send, count);
        drain(count, count);
        return nanos;
    }

    private long accessPosts(SendRequest request, int count) {
        long nanos = posts(request, count);
        drain(count, 0);
        return nanos;
    }

    private long posts(SendRequest request, int count) {
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            check(pair.sender.tryPost(request));
        }
        return System.nanoTime() - begin;
    }

    private long messages(int count) {
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            check(pair.receiver.tryPost(receive) && pair.sender.tryPost(send));
            drain(1, 1);
        }
        return System.nanoTime() - begin;
    }

    private long accesses(SendRequest request, int count) {
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            check(pair.sender.tryPost(request));
            drain(1, 0);
        }
        return System.nanoTime() - begin;
    }

    private void drain(int sends, int receives) {
        for (int left = sends; left > 0; left -= pair.sent.count()) {
            pair.awaitSent();
            check(pair.sent.isSuccess(0));
        }
        for (int left = receives; left > 0; left -= pair.received.count()) {
            pair.awaitReceived();
            check(pair.received.isSuccess(0));
        }
    }

    private static void check(boolean holds) {
        if (!holds) {
            throw new IllegalStateException("a queue is full although it is drained, or a request has failed");
        }
    }
}
