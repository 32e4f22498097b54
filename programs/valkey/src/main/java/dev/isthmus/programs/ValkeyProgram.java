// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.programs;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisConnectionException;

/**
 * Clients of Valkey, and a server: {@code ValkeyProgram ADDRESS PORT WHAT [ARGUMENT]}. Standard input tells {@code flood},
 * {@code killed} and {@code sentinel} what has happened, line by line.
 */
public final class ValkeyProgram {

    private static final int[] LENGTHS = {1, 100, 16_384, 65_536, 65_537, 1 << 20, 5 << 20};
    private static final int MANY = 3000;
    private static final int RECEIVES = 1024; // that the server has
    private static final int MILLIS = 240_000; // on emulated processors
    private static final Duration LONGEST = Duration.ofMillis(MILLIS);

    private final String host;
    private final int port;
    private final BufferedReader told = new BufferedReader(new InputStreamReader(System.in, UTF_8));

    private ValkeyProgram(String host, int port) {
        this.host = host;
        this.port = port;
    }

    /** Runs the program. */
    public static void main(String... args) throws Exception {
        int port = Integer.parseInt(args[1]);
        var program = new ValkeyProgram(args[0], port);
        var raw = new RawProgram(args[0], port);
        var others = new OtherClients(args[0], port, MILLIS);
        var many = new ManyServers(args[0], port, MILLIS);
        switch (args[2]) {
            case "jedis" -> program.jedis();
            case "lettuce" -> program.lettuce();
            case "flood" -> program.flood();
            case "killed" -> program.killed();
            case "valkey-java" -> others.valkeyJava();
            case "redisson" -> others.redisson();
            case "commands" -> raw.commands(args[3]);
            case "sums" -> raw.sums(Long.parseLong(args[3]));
            case "value" -> raw.value(Integer.parseInt(args[3]));
            case "connections" -> raw.connections(Integer.parseInt(args[3]));
            case "cluster" -> many.cluster(Integer.parseInt(args[3]), Integer.parseInt(args[4]));
            case "sentinel" -> many.sentinel(args[3], Integer.parseInt(args[4]), program);
            case "times" -> program.times(Arrays.copyOfRange(args, 3, args.length));
            case "server" -> new TinyServer().serve(args[0], port);
            default -> throw new IllegalArgumentException(args[2]);
        }
        System.out.println("done");
        System.exit(0); // Lettuce keeps threads
    }

    static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    /** The bytes that a value of this length has. */
    static byte[] value(int length) {
        byte[] value = new byte[length];
        new Random(length).nextBytes(value);
        return value;
    }

    private Jedis connect() {
        return new Jedis(host, port, MILLIS, MILLIS);
    }

    private void times(String... numbers) {
        int[] lengths =
                Arrays.stream(numbers).skip(1).mapToInt(Integer::parseInt).toArray();
        try (Jedis jedis = connect()) {
            new JedisTimes(jedis).print(Integer.parseInt(numbers[0]), lengths);
        }
    }

    private void jedis() throws Exception {
        try (Jedis jedis = connect()) {
            check("PONG".equals(jedis.ping()), "PING");
            for (int length : LENGTHS) {
                byte[] key = ("jedis" + length).getBytes(UTF_8);
                jedis.set(key, value(length));
                check(Arrays.equals(value(length), jedis.get(key)), length + " bytes");
            }
            System.out.println("values");
            Pipeline pipeline = jedis.pipelined();
            List<Response<Long>> answers = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                answers.add(pipeline.incr("jedis"));
            }
            pipeline.sync();
            for (int i = 0; i < MANY; i++) {
                check(answers.get(i).get() == i + 1, "answer " + i);
            }
            System.out.println("pipeline");
            CompletableFuture<List<String>> popped = CompletableFuture.supplyAsync(this::pop);
            while (jedis.clientList().lines().noneMatch(line -> line.contains("cmd=blpop"))) {
                Thread.onSpinWait();
            }
            jedis.rpush("list", "element");
            check(popped.get(MILLIS, TimeUnit.MILLISECONDS).equals(List.of("list", "element")), "BLPOP");
            System.out.println("blocking");
            publish(jedis);
            System.out.println("published");
            var transaction = jedis.multi();
            Response<String> one = transaction.set("t", "1");
            Response<String> two = transaction.get("t");
            transaction.exec();
            check("OK".equals(one.get()) && "1".equals(two.get()), "MULTI");
        }
    }

    private List<String> pop() {
        try (Jedis other = connect()) {
            return other.blpop(0, "list");
        }
    }

    private void publish(Jedis jedis) throws Exception {
        var received = new LinkedBlockingQueue<String>();
        var subscriber = new JedisPubSub() {
            @Override
            public void onSubscribe(String channel, int count) {
                received.add("subscribed");
            }

            @Override
            public void onMessage(String channel, String message) {
                received.add(message);
                unsubscribe();
            }
        };
        CompletableFuture<Void> subscribing = CompletableFuture.runAsync(() -> {
            try (Jedis other = connect()) {
                other.subscribe(subscriber, "news");
            }
        });
        check("subscribed".equals(received.poll(MILLIS, TimeUnit.MILLISECONDS)), "SUBSCRIBE");
        jedis.publish("news", "message");
        check("message".equals(received.poll(MILLIS, TimeUnit.MILLISECONDS)), "PUBLISH");
        subscribing.get(MILLIS, TimeUnit.MILLISECONDS);
    }

    private RedisClient client() {
        RedisClient client = RedisClient.create(RedisURI.builder()
                .withHost(host)
                .withPort(port)
                .withTimeout(LONGEST)
                .build());
        client.setOptions(ClientOptions.builder()
                .socketOptions(SocketOptions.builder().connectTimeout(LONGEST).build())
                .build());
        return client;
    }

    private void lettuce() throws Exception {
        RedisClient client = client();
        try (StatefulRedisConnection<byte[], byte[]> connection = client.connect(ByteArrayCodec.INSTANCE)) {
            for (int length : LENGTHS) {
                byte[] key = ("lettuce" + length).getBytes(UTF_8);
                connection.sync().set(key, value(length));
                check(Arrays.equals(value(length), connection.sync().get(key)), length + " bytes");
            }
            System.out.println("values");
            count(connection, "lettuce");
            System.out.println("pipeline");
        }
        var received = new LinkedBlockingQueue<String>();
        try (StatefulRedisPubSubConnection<String, String> subscriber = client.connectPubSub();
                StatefulRedisConnection<String, String> connection = client.connect()) {
            subscriber.addListener(new RedisPubSubAdapter<>() {
                @Override
                public void message(String channel, String message) {
                    received.add(message);
                }
            });
            subscriber.sync().subscribe("news");
            connection.sync().publish("news", "message");
            check("message".equals(received.poll(MILLIS, TimeUnit.MILLISECONDS)), "PUBLISH");
        }
        System.out.println("published");
        client.shutdown();
    }

    private static void count(StatefulRedisConnection<byte[], byte[]> connection, String key) throws Exception {
        List<RedisFuture<Long>> answers = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            answers.add(connection.async().incr(key.getBytes(UTF_8)));
        }
        check(LettuceFutures.awaitAll(LONGEST, answers.toArray(RedisFuture[]::new)), "not all were answered");
        for (int i = 0; i < MANY; i++) {
            check(answers.get(i).get() == i + 1, "answer " + i);
        }
    }

    void awaitTold(String word) throws IOException {
        String line = told.readLine();
        check(word.equals(line), "told " + line + ", not " + word);
    }

    /**
     * Sends more messages than a server that is paused has receives for: each write is one. Clients would put several
     * commands into a message, as soon as they have to wait.
     */
    private void flood() throws IOException {
        byte[] command = "*2\r\n$4\r\nINCR\r\n$5\r\nflood\r\n".getBytes(UTF_8);
        try (Socket socket = new Socket(host, port)) {
            System.out.println("connected");
            awaitTold("flood");
            for (int i = 0; i < MANY; i++) {
                if (i == RECEIVES + 1) {
                    System.out.println("flooded");
                }
                socket.getOutputStream().write(command);
            }
            var answers = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
            for (int i = 0; i < MANY; i++) {
                check((":" + (i + 1)).equals(answers.readLine()), "answer " + i);
            }
        }
    }

    /** Clients that wait when the server is killed, and connect again. */
    private void killed() throws Exception {
        RedisClient client = client();
        try (Jedis jedis = connect();
                StatefulRedisConnection<String, String> connection = client.connect()) {
            connection.sync().set("key", "value");
            CompletableFuture<Object> waiting = CompletableFuture.supplyAsync(() -> jedis.blpop(0, "never"));
            System.out.println("waiting");
            awaitTold("killed");
            try {
                waiting.get(MILLIS, TimeUnit.MILLISECONDS);
                throw new AssertionError("BLPOP has returned");
            } catch (java.util.concurrent.ExecutionException e) {
                check(e.getCause() instanceof JedisConnectionException, e.toString());
            }
            System.out.println("noticed");
            awaitTold("restarted");
            try (Jedis other = connect()) {
                check("PONG".equals(other.ping()), "PING");
            }
            check("PONG".equals(connection.sync().ping()), "Lettuce's PING");
        }
    }
}
