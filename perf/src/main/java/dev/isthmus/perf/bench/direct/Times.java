// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.direct;

import dev.isthmus.perf.bench.instructions.Blocks;
import dev.isthmus.perf.bench.instructions.VerbsLoops;
import dev.isthmus.perf.bench.instructions.VerbsRow;
import dev.isthmus.perf.bench.instructions.VerbsRow.Operation;
import dev.isthmus.perf.bench.instructions.VerbsRow.Way;
import dev.isthmus.perf.common.Median;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Times calls and whole messages, in nanoseconds, by loops of which {@code isthmus perf instructions} counts instructions. */
final class Times {

    private static final int BYTES = 64;
    private static final int POSTS = 64; // of a block
    private static final int POLLS = 10_000;
    private static final int WARM_UP_BLOCKS = 300;
    private static final int BLOCKS = 101;
    private static final long MOST_NANOS = 1_000_000_000L; // for either: a simulated card is slow
    private static final int PATIENCE_SECONDS = 120; // for all of them, which take 14 seconds at most

    private Times() {}

    /** The medians of the blocks by their names. */
    static Map<String, Double> measure(String device, boolean direct) {
        Map<String, Double> times = new LinkedHashMap<>();
        var limit = CompletableFuture.runAsync(
                Times::giveUp, CompletableFuture.delayedExecutor(PATIENCE_SECONDS, TimeUnit.SECONDS));
        try (var loops = VerbsLoops.onCard(device, direct)) {
            times.put("empty poll", median(loops, Way.EMPTY_POLL, Operation.SEND, POLLS));
            times.put("post of a receive, 64 B", median(loops, Way.RECEIVE, Operation.SEND, POSTS));
            times.put("post of a SEND, 64 B", median(loops, Way.POST_SIGNALED, Operation.SEND, POSTS));
            times.put("post of a WRITE, 64 B", median(loops, Way.POST_SIGNALED, Operation.WRITE, POSTS));
            times.put("SEND, 64 B, until both ends know", median(loops, Way.MESSAGE, Operation.SEND, POSTS));
            times.put("WRITE, 64 B, until it completes", median(loops, Way.MESSAGE, Operation.WRITE, POSTS));
            times.put("READ, 64 B, until it completes", median(loops, Way.MESSAGE, Operation.READ, POSTS));
        } finally {
            limit.cancel(false);
        }
        return times;
    }

    /** The loops wait for completions without a limit, which would be a part of what they measure. */
    private static void giveUp() {
        System.err.println("a completion has not come within " + PATIENCE_SECONDS + " seconds");
        Runtime.getRuntime().halt(1);
    }

    private static double median(VerbsLoops loops, Way way, Operation operation, int count) {
        var row = new VerbsRow(way, operation, BYTES, 1, count);
        loops.prepare(row);
        Blocks.Loop loop = loops.loop(row);
        blocks(WARM_UP_BLOCKS, count, loop);
        return Median.of(blocks(BLOCKS, count, loop).stream().mapToDouble(nanos -> nanos / (double) count));
    }

    private static List<Long> blocks(int most, int count, Blocks.Loop loop) {
        List<Long> blocks = new ArrayList<>();
        long begin = System.nanoTime();
        do {
            blocks.add(loop.run(count));
        } while (blocks.size() < most && System.nanoTime() - begin < MOST_NANOS);
        return blocks;
    }
}
