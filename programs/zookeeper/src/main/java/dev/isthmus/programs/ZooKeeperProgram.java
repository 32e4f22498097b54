// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.programs;

import dev.isthmus.testbed.ConnectionTransport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.ClientCnxnSocketNIO;
import org.apache.zookeeper.ClientCnxnSocketNetty;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.ConnectionLossException;
import org.apache.zookeeper.KeeperException.NodeExistsException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;

/**
 * Two clients of an ensemble, one with ZooKeeper's NIO and one with its Netty transport, which go on while the leader
 * is killed: {@code ZooKeeperProgram ADDRESS PORT...}. It prints which server leads, and waits until another one does.
 */
public final class ZooKeeperProgram {

    private static final int SESSION_MILLIS = 40_000;
    private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(240);
    private static final int ROUND = 10;

    private final List<InetSocketAddress> servers;
    private final byte[] data = new byte[20_000];
    private int nodes;

    private ZooKeeperProgram(List<InetSocketAddress> servers) {
        this.servers = servers;
        new Random(1).nextBytes(data);
    }

    /** Runs the program. */
    public static void main(String... args) throws Exception {
        var servers = new ArrayList<InetSocketAddress>();
        for (int i = 1; i < args.length; i++) {
            servers.add(new InetSocketAddress(args[0], Integer.parseInt(args[i])));
        }
        new ZooKeeperProgram(servers).run();
    }

    private void run() throws Exception {
        ZooKeeper nio = connect(ClientCnxnSocketNIO.class);
        ZooKeeper netty = connect(ClientCnxnSocketNetty.class);
        try {
            List<Long> sessions = List.of(nio.getSessionId(), netty.getSessionId());
            write(nio, netty);
            watch(nio, netty);
            int first = leader(-1, nio, netty);
            System.out.println("leader: " + first); // the test kills it now
            int second = leader(first, nio, netty);
            write(nio, netty);
            watch(netty, nio);
            for (int i = 0; i < nodes; i++) {
                check(Arrays.equals((i % 2 == 0 ? nio : netty).getData("/node" + i, false, null), data), "node " + i);
            }
            check(sessions.equals(List.of(nio.getSessionId(), netty.getSessionId())), "another session");
            System.out.println("leader after that: " + second);
            for (int i = 0; i < servers.size(); i++) {
                System.out.println("client port of " + (i + 1) + ": "
                        + ConnectionTransport.at(servers.get(i).getPort()));
            }
        } finally {
            nio.close();
            netty.close();
        }
    }

    private static void check(boolean good, String otherwise) {
        if (!good) {
            throw new AssertionError(otherwise);
        }
    }

    private ZooKeeper connect(Class<?> socket) throws IOException, InterruptedException {
        var config = new ZKClientConfig();
        config.setProperty(ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, socket.getName());
        var names = new ArrayList<String>();
        servers.forEach(server -> names.add(server.getAddress().getHostAddress() + ":" + server.getPort()));
        var connected = new CountDownLatch(1);
        ZooKeeper client = new ZooKeeper(
                String.join(",", names),
                SESSION_MILLIS,
                event -> {
                    if (event.getState() == KeeperState.SyncConnected) {
                        connected.countDown();
                    }
                },
                config);
        check(connected.await(MOST_NANOS, TimeUnit.NANOSECONDS), socket.getSimpleName() + " does not connect");
        return client;
    }

    /** Writes nodes with both clients, in turn. */
    private void write(ZooKeeper... clients) throws KeeperException, InterruptedException {
        for (int i = 0; i < ROUND; i++) {
            for (ZooKeeper client : clients) {
                create(client, "/node" + nodes++);
            }
        }
    }

    /** Creates a node as programs do: tries again when the connection is lost, and by then the node may exist. */
    private void create(ZooKeeper client, String path) throws KeeperException, InterruptedException {
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < MOST_NANOS) {
            try {
                client.create(path, data, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
                return;
            } catch (NodeExistsException e) {
                return;
            } catch (ConnectionLossException e) {
                System.out.println("trying again: " + e.getMessage());
            }
        }
        throw new AssertionError(path + " cannot be created");
    }

    /** One client waits for a node that the other one creates. */
    private void watch(ZooKeeper waits, ZooKeeper makes) throws KeeperException, InterruptedException {
        String path = "/node" + nodes++;
        var made = new CountDownLatch(1);
        check(waits.exists(path, event -> made.countDown()) == null, path + " exists already");
        create(makes, path);
        check(made.await(MOST_NANOS, TimeUnit.NANOSECONDS), "no client was told of " + path);
    }

    /** The number of a server that leads and is not the other one; the clients write meanwhile. */
    private int leader(int other, ZooKeeper... clients) throws KeeperException, InterruptedException {
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < MOST_NANOS) {
            for (int i = 0; i < servers.size(); i++) {
                if (i + 1 != other && leads(servers.get(i))) {
                    return i + 1;
                }
            }
            write(clients);
        }
        throw new AssertionError("no server leads except " + other);
    }

    /** Asks a server whether it leads. A killed server refuses the connection, or resets one that it had accepted. */
    private static boolean leads(InetSocketAddress server) {
        try (SocketChannel channel = SocketChannel.open(server)) {
            channel.write(StandardCharsets.US_ASCII.encode("srvr"));
            ByteBuffer answer = ByteBuffer.allocate(4096);
            while (channel.read(answer) >= 0) {
                check(answer.hasRemaining(), "a long answer");
            }
            return StandardCharsets.US_ASCII.decode(answer.flip()).toString().contains("Mode: leader");
        } catch (IOException e) {
            System.out.println(server + ": " + e);
            return false;
        }
    }
}
