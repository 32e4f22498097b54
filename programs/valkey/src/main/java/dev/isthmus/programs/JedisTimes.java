// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.programs;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Arrays;
import java.util.Locale;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;

/** How long a command of Jedis takes, by one connection: the median, over TCP without the agent's rule, over RDMA with it. */
final class JedisTimes {

    private static final int[] PIPELINES = {1, 16};

    private final Jedis jedis;

    JedisTimes(Jedis jedis) {
        this.jedis = jedis;
    }

    void print(int rounds, int... lengths) {
        System.out.println("   bytes  pipeline   SET us   GET us");
        byte[] key = "times".getBytes(US_ASCII);
        for (int length : lengths) {
            byte[] value = new byte[length];
            for (int pipeline : PIPELINES) {
                double set = median(rounds, pipeline, to -> to.set(key, value)) / 1000.0 / pipeline;
                double get = median(rounds, pipeline, to -> to.get(key)) / 1000.0 / pipeline;
                System.out.printf(Locale.ROOT, "%8d  %8d %8.1f %8.1f%n", length, pipeline, set, get);
            }
        }
    }

    /** What is repeated by a pipeline. */
    private interface Command {
        void on(Pipeline to);
    }

    private long median(int rounds, int pipeline, Command command) {
        long[] times = new long[rounds];
        for (int i = -rounds / 10 - 1; i < rounds; i++) { // some first, which do not count
            long begin = System.nanoTime();
            try (Pipeline to = jedis.pipelined()) {
                for (int j = 0; j < pipeline; j++) {
                    command.on(to);
                }
            }
            if (i >= 0) {
                times[i] = System.nanoTime() - begin;
            }
        }
        Arrays.sort(times);
        return times[rounds / 2];
    }
}
