// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.programs;

import static dev.isthmus.programs.ValkeyProgram.check;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.valkey.HostAndPort;
import io.valkey.Jedis;
import io.valkey.JedisCluster;
import io.valkey.JedisSentinelPool;
import io.valkey.exceptions.JedisException;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/** Clients that are told by servers, or by a sentinel, to which server they have to connect. */
final class ManyServers {

    private static final int SLOTS = 16_384;
    private static final int KEYS = 100;
    private static final String MASTER = "master"; // the sentinel's name of it

    private final String host;
    private final int port;
    private final int millis; // that anything may take

    ManyServers(String host, int port, int millis) {
        this.host = host;
        this.port = port;
        this.millis = millis;
    }

    /** Makes a cluster of two servers, of which the clients are told the first. */
    void cluster(int otherPort, int otherBusPort) throws Exception {
        try (var first = new RawConnection(host, port);
                var second = new RawConnection(host, otherPort)) {
            call(first, "CLUSTER", "ADDSLOTSRANGE", "0", "" + (SLOTS / 2 - 1));
            call(second, "CLUSTER", "ADDSLOTSRANGE", "" + SLOTS / 2, "" + (SLOTS - 1));
            call(first, "CLUSTER", "MEET", host, "" + otherPort, "" + otherBusPort);
            awaitReply(first, "cluster_state:ok", "CLUSTER", "INFO");
            awaitReply(second, "cluster_state:ok", "CLUSTER", "INFO");
            try (var client = new JedisCluster(new HostAndPort(host, port), millis)) {
                for (int i = 0; i < KEYS; i++) {
                    client.set("valkey-java" + i, "value" + i);
                }
                for (int i = 0; i < KEYS; i++) {
                    check(("value" + i).equals(client.get("valkey-java" + i)), "valkey-java's key " + i);
                }
                check(client.getClusterNodes().size() == 2, "valkey-java knows " + client.getClusterNodes());
                checkNoTcp();
            }
            System.out.println("valkey-java");
            lettuceOfCluster();
            int keys = 0;
            for (RawConnection each : List.of(first, second)) {
                int held = Integer.parseInt(each.call("DBSIZE").substring(1));
                check(held > KEYS / 2, "a server has only " + held + " keys");
                keys += held;
            }
            check(keys == 2 * KEYS, "the servers have " + keys + " keys");
        }
    }

    private void lettuceOfCluster() throws Exception {
        RedisClusterClient client = RedisClusterClient.create(uri().build());
        try (StatefulRedisClusterConnection<String, String> connection = client.connect()) {
            for (int i = 0; i < KEYS; i++) {
                connection.sync().set("lettuce" + i, "value" + i);
            }
            for (int i = 0; i < KEYS; i++) {
                check(("value" + i).equals(connection.sync().get("lettuce" + i)), "Lettuce's key " + i);
            }
            checkNoTcp();
        }
        client.shutdown();
        System.out.println("lettuce");
    }

    private RedisURI.Builder uri() {
        return RedisURI.builder().withHost(host).withPort(port).withTimeout(Duration.ofMillis(millis));
    }

    private static void call(RawConnection to, String... words) throws IOException {
        String reply = to.call(words);
        check("+OK".equals(reply), String.join(" ", words) + ": " + reply);
    }

    /** Asks until the reply has a text: each round trip is a wait. */
    private void awaitReply(RawConnection to, String text, String... words) throws IOException {
        long end = System.nanoTime() + Duration.ofMillis(millis).toNanos();
        String reply = to.call(words);
        while (!reply.contains(text)) {
            check(System.nanoTime() < end, "'" + text + "' is not in " + reply);
            reply = to.call(words);
        }
    }

    /** Clients that ask a sentinel, which is reached by TCP, for the master: another server, when that is killed. */
    void sentinel(String sentinelHost, int sentinelPort, ValkeyProgram told) throws Exception {
        RedisClient client = RedisClient.create(RedisURI.builder()
                .withSentinel(sentinelHost, sentinelPort)
                .withSentinelMasterId(MASTER)
                .withTimeout(Duration.ofMillis(millis))
                .build());
        try (var sentinel = new RawConnection(sentinelHost, sentinelPort);
                var master = new RawConnection(host, port)) {
            awaitReply(master, "state=online", "INFO", "replication");
            awaitReply(sentinel, "slaves=1", "INFO", "sentinel");
            try (var pool = new JedisSentinelPool(MASTER, Set.of(sentinelHost + ":" + sentinelPort));
                    StatefulRedisConnection<String, String> connection = client.connect()) {
                try (Jedis jedis = pool.getResource()) {
                    jedis.set("key", "value");
                    jedis.waitReplicas(1, millis);
                }
                check("value".equals(connection.sync().get("key")), "Lettuce's key");
                checkNoTcp();
                System.out.println("waiting");
                told.awaitTold("killed");
                check("value".equals(valueOfNext(pool)), "valkey-java's key after the change");
                check(pool.getCurrentHostMaster().getPort() != port, "the master is " + pool.getCurrentHostMaster());
                System.out.println("valkey-java");
                check("value".equals(connection.sync().get("key")), "Lettuce's key after the change");
                checkNoTcp();
            }
        }
        client.shutdown();
    }

    /** Asks until the pool knows the new master: it is told by the sentinel. */
    private String valueOfNext(JedisSentinelPool pool) {
        long end = System.nanoTime() + Duration.ofMillis(millis).toNanos();
        while (true) {
            try (Jedis jedis = pool.getResource()) {
                return jedis.get("key");
            } catch (JedisException e) {
                if (System.nanoTime() > end) {
                    throw e;
                }
            }
        }
    }

    /** The servers know each other by TCP at the same ports, so a connection that missed RDMA would work, too. */
    private void checkNoTcp() throws IOException {
        List<String> own = new ArrayList<>();
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            for (Path descriptor : descriptors.toList()) {
                if (Files.isSymbolicLink(descriptor)) { // the one that lists them is closed by now
                    own.add(Files.readSymbolicLink(descriptor).toString());
                }
            }
        }
        int number = ByteBuffer.wrap(InetAddress.getByName(host).getAddress())
                .order(ByteOrder.nativeOrder())
                .getInt();
        String there = String.format(Locale.ROOT, "%08X:", number); // or that, mapped to IPv6
        for (String table : List.of("tcp", "tcp6")) {
            for (String line : Files.readAllLines(Path.of("/proc/self/net", table))) {
                String[] words = line.strip().split("\\s+", -1);
                check(!words[2].contains(there) || !own.contains("socket:[" + words[9] + "]"), "by TCP: " + line);
            }
        }
    }
}
