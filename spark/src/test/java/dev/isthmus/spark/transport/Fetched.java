// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.spark.transport;

import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Notes what a fetch reports, each block once. */
final class Fetched implements FetchListener {

    final Map<Integer, byte[]> received = new ConcurrentHashMap<>();
    final Map<Integer, Exception> failed = new ConcurrentHashMap<>();
    final Map<Integer, String> refused = new ConcurrentHashMap<>();
    final Set<Integer> stored = ConcurrentHashMap.newKeySet(); // in sinks
    final Map<Integer, String> wrong = new ConcurrentHashMap<>(); // reported twice
    private final CountDownLatch left;

    Fetched(int blocks) {
        left = new CountDownLatch(blocks);
    }

    static Fetched of(BlockTransport client, Node server, List<BlockKey> blocks) {
        var fetched = new Fetched(blocks.size());
        client.fetch(server, blocks, fetched);
        return fetched;
    }

    Fetched await() throws InterruptedException {
        if (!left.await(TestDeadlines.seconds(200), TimeUnit.SECONDS)) {
            throw new AssertionError(left.getCount() + " blocks are left, after " + received.size() + " that came, "
                    + failed + " and " + refused);
        }
        if (!wrong.isEmpty()) {
            throw new AssertionError("told of twice: " + wrong);
        }
        return this;
    }

    private <V> void told(Map<Integer, V> where, int index, V value) {
        boolean again = stored.contains(index)
                || received.containsKey(index)
                || failed.containsKey(index)
                || refused.containsKey(index);
        if (again) {
            wrong.put(index, value.toString());
        }
        where.put(index, value);
        left.countDown();
    }

    @Override
    public void received(int index, Received block) {
        try {
            told(received, index, block.stream().readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            block.release();
        }
    }

    @Override
    public void stored(int index) {
        if (!stored.add(index) || received.containsKey(index)) {
            wrong.put(index, "stored");
        }
        left.countDown();
    }

    @Override
    public void failed(int index, Exception why) {
        told(failed, index, why);
    }

    @Override
    public void refused(int index, String why) {
        told(refused, index, why);
    }
}
