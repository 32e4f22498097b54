// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.Allocated;
import dev.isthmus.testbed.KernelObjects;
import dev.isthmus.testbed.ProcessFigures;
import dev.isthmus.testbed.TestDeadlines;
import dev.isthmus.testbed.ThreadTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Selectors under load: none of many wakeups and messages is lost, nothing is allocated, and idle connections cost nothing. */
@Tag("device")
@Tag("extended")
class SelectorStressTest {

    /**
     * To have more wakeups, or more of what follows: {@code ./isthmus test --with wakeups=1000000}, which gives each
     * test more time.
     */
    private static final int WAKEUPS = Integer.getInteger("isthmus.test.wakeups", 2_000);

    /** Each pins 8 KiB. */
    private static final int IDLE = Integer.getInteger("isthmus.test.idle", 50);

    /** Round trips between two selectors that wait for each of them. */
    private static final int TURNS = Integer.getInteger("isthmus.test.turns", 1_200);

    /** Messages, many of which are under way at once. */
    private static final int MESSAGES = Integer.getInteger("isthmus.test.messages", 10_000);

    private static final int MESSAGE = 64;
    private static final int CONNECTIONS = 4;

    /** Messages in a row over each of them: a peer takes 384, and grants room for more once it has read 192. */
    private static final int IN_A_ROW = 96;

    private static final long MOST_GROWTH = 1 << 16; // the JVM's own: what it compiles, and what it knows of threads
    private static final int SMALL = 4096;

    private static SelectionKey register(Selector selector, SocketChannel channel) throws IOException {
        return channel.configureBlocking(false).register(selector, OP_READ);
    }

    /** Several connections with small buffers. */
    private static List<SocketChannel> connected(RdmaServerSocketChannel listener, int count) throws IOException {
        listener.setOption(StandardSocketOptions.SO_RCVBUF, SMALL);
        listener.setOption(RdmaSocketOptions.SEND_QUEUE, 16);
        listener.setOption(RdmaSocketOptions.RECEIVE_QUEUE, 16);
        listener.bind(new InetSocketAddress(Hosts.far(), 0));
        List<SocketChannel> ends = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            RdmaSocketChannel client = RdmaSocketChannel.open();
            client.setOption(StandardSocketOptions.SO_RCVBUF, SMALL);
            client.setOption(StandardSocketOptions.SO_SNDBUF, SMALL);
            client.setOption(RdmaSocketOptions.SEND_QUEUE, 16);
            client.setOption(RdmaSocketOptions.RECEIVE_QUEUE, 16);
            client.connect(listener.getLocalAddress());
            ends.add(client);
            ends.add(listener.accept());
        }
        return ends;
    }

    private static void close(List<SocketChannel> channels) throws IOException {
        for (SocketChannel each : channels) {
            each.close();
        }
    }

    /** Each wakeup announces work that the selecting thread must see; the next one comes when it has. */
    @Test
    void shouldLoseNoWakeup() throws Exception {
        try (Selector selector = RdmaSelector.open();
                var pair = Pair.connected()) {
            register(selector, pair.server);
            var asked = new AtomicInteger();
            var done = new AtomicInteger();
            var turns = new Semaphore(0);
            Running<Integer> selecting = Running.of(() -> {
                while (done.get() < WAKEUPS) {
                    selector.select();
                    done.set(asked.get());
                    turns.release();
                }
                return done.get();
            });
            for (int i = 1; i <= WAKEUPS; i++) {
                asked.set(i);
                selector.wakeup();
                while (done.get() < i) {
                    assertTrue(
                            turns.tryAcquire(TestDeadlines.seconds(30), TimeUnit.SECONDS), "wakeup " + i + " was lost");
                }
            }
            assertEquals(WAKEUPS, selecting.get());
        }
    }

    /**
     * One thread echoes; the other waits for each answer. Each sleeps in a select while nothing is there. Nothing
     * grows meanwhile.
     */
    @Test
    void shouldLoseNoMessageBetweenTwoThatSleep() throws Exception {
        try (Selector clients = RdmaSelector.open();
                Selector servers = RdmaSelector.open();
                var pair = Pair.connected()) {
            register(clients, pair.client);
            register(servers, pair.server);
            Running<Long> echoing = Running.of(() -> echoAll(servers, 1));
            KernelObjects before = KernelObjects.now();
            ByteBuffer one = ByteBuffer.allocateDirect(64);
            ProcessFigures.assertSteady(
                    () -> {
                        for (int i = 0; i < TURNS / ProcessFigures.ROUNDS; i++) {
                            one.clear().putInt(0, i);
                            assertEquals(64, pair.client.write(one));
                            readAll(clients, pair.client, one);
                            assertEquals(i, one.getInt(0));
                        }
                    },
                    MOST_GROWTH);
            before.assertNoMore();
            pair.client.close();
            System.out.println(echoing.get() + " messages each way: " + ProcessFigures.now());
        }
    }

    /**
     * One thread echoes what arrives over several connections; the other sends many messages before it looks for the
     * first of their echoes. Nothing grows meanwhile.
     */
    @Test
    void shouldLoseNoneOfManyUnderWay() throws Exception {
        int turns = Math.ceilDiv(MESSAGES, ProcessFigures.ROUNDS * CONNECTIONS * IN_A_ROW);
        List<Pair> pairs = new ArrayList<>();
        try (Selector clients = RdmaSelector.open();
                Selector servers = RdmaSelector.open()) {
            for (int i = 0; i < CONNECTIONS; i++) {
                Pair pair = Pair.connected();
                pairs.add(pair);
                register(clients, pair.client).attach(ByteBuffer.allocateDirect(IN_A_ROW * MESSAGE));
                register(servers, pair.server);
            }
            Running<Long> echoing = Running.of(() -> echoAll(servers, CONNECTIONS));
            KernelObjects before = KernelObjects.now();
            var next = new AtomicInteger();
            ByteBuffer one = ByteBuffer.allocateDirect(MESSAGE);
            ProcessFigures.assertSteady(
                    () -> {
                        for (int i = 0; i < turns; i++) {
                            sendInARow(pairs, one, next.get());
                            receiveInARow(clients, next.getAndAdd(IN_A_ROW));
                        }
                    },
                    MOST_GROWTH);
            before.assertNoMore();
            for (Pair pair : pairs) {
                pair.client.close();
            }
            System.out.println(echoing.get() + " messages each way, many at once: " + ProcessFigures.now());
        } finally {
            for (Pair pair : pairs) {
                pair.close();
            }
        }
    }

    /** Until the peers of all channels close; returns the number of messages. */
    private static long echoAll(Selector selector, int channels) throws IOException {
        long messages = 0;
        ByteBuffer some = ByteBuffer.allocateDirect(IN_A_ROW * MESSAGE);
        for (int open = channels; open > 0; ) {
            assertTrue(selector.select(TestDeadlines.ofSeconds(30).toMillis()) > 0, "a message was lost");
            for (SelectionKey key : selector.selectedKeys()) {
                var channel = (SocketChannel) key.channel();
                if (channel.read(some.clear()) < 0) {
                    key.cancel();
                    open--;
                }
                some.flip();
                for (int end = some.limit(); some.position() < end; messages++) {
                    some.limit(some.position() + MESSAGE);
                    assertEquals(MESSAGE, channel.write(some));
                }
            }
            selector.selectedKeys().clear();
        }
        return messages;
    }

    private static void sendInARow(List<Pair> pairs, ByteBuffer one, int first) throws IOException {
        for (Pair pair : pairs) {
            for (int i = 0; i < IN_A_ROW; i++) {
                one.clear().putInt(0, first + i);
                assertEquals(MESSAGE, pair.client.write(one));
            }
        }
    }

    private static void receiveInARow(Selector selector, int first) throws IOException {
        for (int left = CONNECTIONS; left > 0; ) {
            assertTrue(selector.select(TestDeadlines.ofSeconds(30).toMillis()) > 0, "an echo was lost");
            for (SelectionKey key : selector.selectedKeys()) {
                var into = (ByteBuffer) key.attachment();
                ((SocketChannel) key.channel()).read(into);
                if (!into.hasRemaining()) {
                    for (int i = 0; i < IN_A_ROW; i++) {
                        assertEquals(first + i, into.getInt(i * MESSAGE));
                    }
                    into.clear();
                    left--;
                }
            }
            selector.selectedKeys().clear();
        }
    }

    private static void readAll(Selector selector, SocketChannel channel, ByteBuffer into) throws IOException {
        into.clear();
        while (into.hasRemaining()) {
            assertEquals(1, selector.select(TestDeadlines.ofSeconds(30).toMillis()), "a message was lost");
            selector.selectedKeys().clear();
            assertTrue(channel.read(into) > 0);
        }
    }

    /** A select that takes an event, after a sleep or many turns in vain, allocates until C2 has compiled it: these are few. */
    @Test
    void shouldAllocateNothing() throws Exception {
        try (Selector selector = RdmaSelector.open();
                var pair = Pair.connected()) {
            pair.client.configureBlocking(false);
            register(selector, pair.server);
            ByteBuffer one = ByteBuffer.allocateDirect(64);
            Allocated.assertNone(() -> {
                for (int i = 0; i < 100; i++) {
                    echo(selector, pair, one);
                }
            });
        }
    }

    private static void echo(Selector selector, Pair pair, ByteBuffer one) {
        try {
            pair.client.write(one.clear());
            one.clear();
            while (one.hasRemaining()) {
                while (selector.selectNow() == 0) {
                    Thread.onSpinWait();
                }
                for (Iterator<SelectionKey> each = selector.selectedKeys().iterator(); each.hasNext(); ) {
                    each.next();
                    each.remove();
                    pair.server.read(one);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Both ends of each connection are registered; then one in seven sends something. */
    @Test
    void shouldSleepWhileAllAreIdle() throws Exception {
        try (var listener = RdmaServerSocketChannel.open();
                Selector selector = RdmaSelector.open()) {
            List<SocketChannel> ends = connected(listener, IDLE);
            for (SocketChannel end : ends) {
                register(selector, end);
            }
            selector.select(100);
            Duration busy = ThreadTime.assertBelow(
                    Thread.currentThread().threadId(),
                    Duration.ofMillis(100),
                    () -> assertEquals(0, selector.select(2_000)));
            System.out.println(2 * IDLE + " idle channels: " + busy.toNanos() / 1000 + " us of the processor in 2 s");
            ByteBuffer one = ByteBuffer.allocate(1);
            for (int i = 0; i < ends.size(); i += 7) {
                ends.get(i).write(one.clear());
                assertEquals(1, selector.select(TestDeadlines.ofSeconds(30).toMillis()));
                SelectionKey key = selector.selectedKeys().iterator().next();
                assertEquals(ends.get(i ^ 1), key.channel());
                assertEquals(1, ends.get(i ^ 1).read(one.clear()));
                selector.selectedKeys().clear();
            }
            close(ends);
        }
    }

    /** Like Netty when its selector returns too often: all channels move to a new selector while bytes arrive. */
    @Test
    void shouldGoOnInANewSelector() throws Exception {
        int count = 8;
        try (var listener = RdmaServerSocketChannel.open()) {
            List<SocketChannel> ends = connected(listener, count);
            Selector selector = RdmaSelector.open();
            var sent = new AtomicLong();
            for (int i = 1; i < ends.size(); i += 2) {
                register(selector, ends.get(i));
            }
            Running<Void> writing = Running.of(() -> {
                ByteBuffer some = ByteBuffer.allocate(100);
                for (int i = 0; i < TURNS; i++) {
                    sent.addAndGet(ends.get(2 * (i % count)).write(some.clear()));
                }
                return null;
            });
            long received = 0;
            long expected = TURNS * 100L;
            ByteBuffer into = ByteBuffer.allocate(1000);
            for (int turn = 1; received < expected; turn++) {
                assertTrue(
                        selector.select(TestDeadlines.ofSeconds(30).toMillis()) > 0,
                        received + " bytes of " + expected + " came");
                for (SelectionKey key : selector.selectedKeys()) {
                    received += ((SocketChannel) key.channel()).read(into.clear());
                }
                selector.selectedKeys().clear();
                if (turn % 50 == 0) {
                    selector = rebuilt(selector);
                }
            }
            writing.get();
            assertEquals(sent.get(), received);
            selector.close();
            close(ends);
        }
    }

    private static Selector rebuilt(Selector old) throws IOException {
        Selector made = RdmaSelector.open();
        for (SelectionKey key : old.keys()) {
            key.channel().register(made, key.interestOps());
            key.cancel();
        }
        old.close();
        return made;
    }

    /** Channels that always have something do not keep each other waiting. */
    @Test
    void shouldBeFair() throws Exception {
        int count = 10;
        try (var listener = RdmaServerSocketChannel.open();
                Selector selector = RdmaSelector.open()) {
            List<SocketChannel> ends = connected(listener, count);
            for (int i = 1; i < ends.size(); i += 2) {
                register(selector, ends.get(i)).attach(new AtomicInteger());
            }
            assertEquals(0, selector.select(20)); // all wait for events now
            for (int i = 0; i < ends.size(); i += 2) {
                ends.get(i).write(ByteBuffer.allocate(1000));
            }
            ByteBuffer one = ByteBuffer.allocate(1);
            for (int turn = 0; turn < 200; turn++) {
                assertTrue(selector.select(TestDeadlines.ofSeconds(30).toMillis()) > 0);
                for (SelectionKey key : selector.selectedKeys()) {
                    ((SocketChannel) key.channel()).read(one.clear());
                    ((AtomicInteger) key.attachment()).incrementAndGet();
                }
                selector.selectedKeys().clear();
            }
            for (SelectionKey key : selector.keys()) {
                assertTrue(((AtomicInteger) key.attachment()).get() > 100, key + ": " + key.attachment());
            }
            close(ends);
        }
    }
}
