// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.programs;

import static dev.isthmus.programs.ValkeyProgram.check;
import static dev.isthmus.programs.ValkeyProgram.value;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.valkey.Jedis;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.api.BatchOptions;
import org.redisson.api.RBatch;
import org.redisson.api.RFuture;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.ByteArrayCodec;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;
import org.redisson.config.TransportMode;

/** valkey-java, which descends from Jedis, and Redisson, which is on Netty. */
final class OtherClients {

    private static final int[] LENGTHS = {1, 100, 65_537, 1 << 20};
    private static final int MANY = 1000;

    private final String host;
    private final int port;
    private final int millis; // that anything may take

    OtherClients(String host, int port, int millis) {
        this.host = host;
        this.port = port;
        this.millis = millis;
    }

    void valkeyJava() {
        try (var client = new Jedis(host, port, millis, millis)) {
            check("PONG".equals(client.ping()), "PING");
            for (int length : LENGTHS) {
                byte[] key = ("valkey-java" + length).getBytes(UTF_8);
                client.set(key, value(length));
                check(Arrays.equals(value(length), client.get(key)), length + " bytes");
            }
            var pipeline = client.pipelined();
            List<io.valkey.Response<Long>> answers = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                answers.add(pipeline.incr("valkey-java"));
            }
            pipeline.sync();
            for (int i = 0; i < MANY; i++) {
                check(answers.get(i).get() == i + 1, "answer " + i);
            }
            check(client.eval("return 'from a script'").equals("from a script"), "EVAL");
        }
    }

    void redisson() throws Exception {
        var config = new Config();
        config.setTransportMode(TransportMode.NIO);
        config.useSingleServer()
                .setAddress("redis://" + host + ":" + port)
                .setConnectionPoolSize(4)
                .setConnectionMinimumIdleSize(2)
                .setConnectTimeout(millis)
                .setTimeout(millis);
        RedissonClient client = Redisson.create(config);
        try {
            for (int length : LENGTHS) {
                var bucket = client.<byte[]>getBucket("redisson" + length, ByteArrayCodec.INSTANCE);
                bucket.set(value(length));
                check(Arrays.equals(value(length), bucket.get()), length + " bytes");
            }
            RBatch batch = client.createBatch(BatchOptions.defaults());
            List<RFuture<Long>> answers = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                answers.add(batch.getAtomicLong("redisson").incrementAndGetAsync());
            }
            batch.execute();
            for (int i = 0; i < MANY; i++) {
                check(answers.get(i).get() == i + 1, "answer " + i);
            }
            var received = new LinkedBlockingQueue<String>();
            var topic = client.getTopic("news", StringCodec.INSTANCE);
            topic.addListener(String.class, (channel, message) -> received.add(message));
            topic.publish("message");
            check("message".equals(received.poll(millis, TimeUnit.MILLISECONDS)), "publish");
            var lock = client.getLock("lock"); // scripts, and a subscription
            lock.lock();
            try {
                check(lock.isHeldByCurrentThread(), "lock");
            } finally {
                lock.unlock();
            }
        } finally {
            client.shutdown();
        }
    }
}
