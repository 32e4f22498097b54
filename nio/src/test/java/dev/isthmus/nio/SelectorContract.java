// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.testbed.TestDeadlines;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How selectors wait, and what other threads may do meanwhile. */
interface SelectorContract {

    long LONG = TestDeadlines.ofSeconds(60).toMillis(); // milliseconds, which no test waits for

    int SOME = 300; // messages, which are fewer than fit, and more than half as many
    long LATE = TestDeadlines.ofSeconds(20).toMillis(); // more than it takes to end a short wait

    Transport transport();

    private static long millisSince(long begin) {
        return (System.nanoTime() - begin) / 1_000_000;
    }

    private static ByteBuffer bytes(int count) {
        return ByteBuffer.allocate(count);
    }

    @Test
    default void shouldEndInTime() throws Exception {
        try (var linked = transport().linked();
                Selector selector = transport().openSelector()) {
            linked.server.configureBlocking(false).register(selector, OP_READ);
            for (int millis : new int[] {1, 2, 30, 200}) {
                long begin = System.nanoTime();
                assertEquals(0, selector.select(millis));
                long took = System.nanoTime() - begin;
                assertTrue(took >= millis * 1_000_000L, took + " ns of " + millis + " ms");
                assertTrue(took < LATE * 1_000_000L, took + " ns of " + millis + " ms");
            }
            assertEquals(0, selector.selectNow());
        }
    }

    /** Over RDMA, a peer that reads grants more messages. */
    @Test
    default void shouldNotEndWhenNothingIsReady() throws Exception {
        try (var linked = transport().linked();
                Selector selector = transport().openSelector()) {
            for (int i = 0; i < SOME; i++) {
                assertEquals(1, linked.client.write(bytes(1))); // waits for room: iWARP takes two requests for each
            }
            linked.client.configureBlocking(false).register(selector, OP_READ);
            int millis = 1_000;
            Running<Long> selecting = Running.of(() -> {
                long begin = System.nanoTime();
                assertEquals(0, selector.select(millis));
                return System.nanoTime() - begin;
            });
            selecting.awaitBlocked();
            for (int i = 0; i < SOME; i++) {
                assertEquals(1, linked.server.read(bytes(1)));
            }
            long took = selecting.get();
            assertTrue(took >= millis * 1_000_000L, took + " ns of " + millis + " ms");
            assertTrue(selector.selectedKeys().isEmpty());
        }
    }

    @Test
    default void shouldWakeUp() throws Exception {
        try (Selector selector = transport().openSelector()) {
            for (int round = 0; round < 100; round++) {
                Running<Integer> selecting = Running.of(selector::select);
                if (round % 2 == 0) {
                    selecting.awaitBlocked();
                }
                selector.wakeup();
                assertEquals(0, selecting.get());
            }
            selector.wakeup().wakeup();
            assertEquals(0, selector.select()); // both are one
            assertEquals(0, selector.select(20));
            selector.wakeup();
            selector.selectNow(); // takes it
            long begin = System.nanoTime();
            assertEquals(0, selector.select(20));
            assertTrue(millisSince(begin) >= 20);
        }
    }

    @Test
    default void shouldSelectWhatIsReadyWhenItIsWoken() throws Exception {
        try (var linked = transport().linked();
                Selector selector = transport().openSelector()) {
            linked.server.configureBlocking(false).register(selector, OP_READ | OP_WRITE);
            selector.wakeup();
            assertEquals(1, selector.select());
        }
    }

    @Test
    default void shouldEndByAnInterrupt() throws Exception {
        try (Selector selector = transport().openSelector()) {
            Running<Integer> selecting = Running.of(selector::select).awaitBlocked();
            selecting.interrupt();
            assertEquals(0, selecting.get());
            assertTrue(selecting.wasInterrupted());
            Running<Integer> interrupted = Running.interrupted(() -> selector.select(LONG));
            assertEquals(0, interrupted.get());
            assertTrue(interrupted.wasInterrupted() && selector.isOpen());
            assertEquals(0, selector.select(20));
        }
    }

    @Test
    default void shouldEndByItsClose() throws Exception {
        try (var linked = transport().linked()) {
            Selector selector = transport().openSelector();
            SelectionKey key = linked.server.configureBlocking(false).register(selector, OP_READ);
            Running<Integer> selecting = Running.of(selector::select).awaitBlocked();
            selector.close();
            assertEquals(0, selecting.get());
            assertFalse(selector.isOpen() || key.isValid() || linked.server.isRegistered());
            assertThrows(ClosedSelectorException.class, selector::select);
            assertThrows(ClosedSelectorException.class, selector::selectNow);
            assertThrows(ClosedSelectorException.class, selector::keys);
            assertThrows(ClosedSelectorException.class, selector::selectedKeys);
            assertThrows(ClosedSelectorException.class, () -> linked.server.register(selector, OP_READ));
            selector.wakeup();
            selector.close();
            linked.server.configureBlocking(true); // as it is registered no more
            linked.client.write(bytes(1));
            assertEquals(1, linked.server.read(bytes(10)));
        }
    }

    @Test
    default void shouldTakeRegistrationsOfOtherThreads() throws Exception {
        try (var linked = transport().linked();
                Selector selector = transport().openSelector()) {
            linked.server.configureBlocking(false);
            Running<Integer> selecting = Running.of(selector::select).awaitBlocked();
            SelectionKey key = linked.server.register(selector, 0, "attached");
            assertEquals(Set.of(key), selector.keys());
            assertEquals("attached", key.attachment());
            selector.wakeup();
            assertEquals(0, selecting.get());
            Running<Integer> again = Running.of(selector::select).awaitBlocked();
            linked.client.write(bytes(1));
            key.interestOps(OP_READ);
            selector.wakeup();
            again.get();
            assertTrue(selector.selectedKeys().contains(key) || selector.select(LONG) == 1);
            assertEquals(OP_READ, key.readyOps());
            assertEquals(OP_READ, key.interestOpsOr(OP_WRITE));
            assertEquals(OP_READ | OP_WRITE, key.interestOpsAnd(OP_WRITE));
            assertEquals(OP_WRITE, key.interestOps());
        }
    }

    @Test
    default void shouldForgetCancelledKeys() throws Exception {
        try (var linked = transport().linked();
                Selector selector = transport().openSelector()) {
            linked.server.configureBlocking(false);
            for (int round = 0; round < 3; round++) {
                SelectionKey key = linked.server.register(selector, OP_WRITE);
                assertEquals(1, selector.select());
                Running<Void> cancelling = Running.of(() -> {
                    key.cancel();
                    return null;
                });
                cancelling.get();
                assertFalse(key.isValid());
                assertThrows(CancelledKeyException.class, key::readyOps);
                assertThrows(CancelledKeyException.class, key::interestOps);
                assertThrows(CancelledKeyException.class, () -> key.interestOps(OP_READ));
                assertThrows(CancelledKeyException.class, () -> linked.server.register(selector, OP_READ));
                assertTrue(selector.keys().contains(key) && linked.server.isRegistered());
                assertEquals(0, selector.selectNow());
                assertFalse(selector.keys().contains(key) || linked.server.isRegistered());
                assertTrue(selector.selectedKeys().isEmpty());
                assertNull(linked.server.keyFor(selector));
            }
        }
    }

    @Test
    default void shouldForgetChannelsThatAreClosed() throws Exception {
        try (Selector selector = transport().openSelector();
                ServerSocketChannel listener = transport().listening()) {
            listener.configureBlocking(false).register(selector, OP_ACCEPT);
            for (int round = 0; round < 5; round++) {
                try (var linked = transport().linked()) {
                    SelectionKey key = linked.server.configureBlocking(false).register(selector, OP_READ);
                    Running<Integer> selecting = Running.of(selector::select).awaitBlocked();
                    linked.server.close();
                    assertFalse(key.isValid());
                    assertEquals(-1, linked.client.read(bytes(1))); // while the select goes on
                    selector.wakeup();
                    assertEquals(0, selecting.get());
                    assertFalse(selector.keys().contains(key));
                }
            }
            assertEquals(1, selector.keys().size());
        }
    }

    @Test
    default void shouldGiveWhatIsReadyToAnAction() throws Exception {
        try (var linked = transport().linked();
                Selector selector = transport().openSelector()) {
            SelectionKey one = linked.server.configureBlocking(false).register(selector, OP_READ | OP_WRITE);
            SelectionKey other = linked.client.configureBlocking(false).register(selector, OP_WRITE);
            selector.select();
            selector.selectedKeys().remove(one);
            List<SelectionKey> given = new ArrayList<>();
            assertEquals(2, selector.select(key -> {
                assertEquals(OP_WRITE, key.readyOps());
                given.add(key);
            }));
            assertTrue(given.size() == 2 && given.containsAll(List.of(one, other)), given.toString());
            assertEquals(Set.of(other), Set.copyOf(selector.selectedKeys())); // as it was
            assertEquals(2, selector.selectNow(given::add));
            assertEquals(2, selector.select(given::add, LONG));
            assertEquals(6, given.size());
            other.interestOps(0);
            one.interestOps(OP_READ);
            linked.client.write(bytes(1));
            assertEquals(1, selector.select(key -> assertEquals(OP_READ, key.readyOps()), LONG));
            assertThrows(NullPointerException.class, () -> selector.select(null));
            assertThrows(IllegalArgumentException.class, () -> selector.select(given::add, -1));
        }
    }

    @Test
    default void shouldLetAnActionCancelAndCloseButNotSelect() throws Exception {
        try (var linked = transport().linked()) {
            Selector selector = transport().openSelector();
            linked.server.configureBlocking(false).register(selector, OP_WRITE);
            linked.client.configureBlocking(false).register(selector, OP_WRITE);
            assertEquals(2, selector.select(key -> {
                assertThrows(IllegalStateException.class, selector::selectNow);
                assertThrows(IllegalStateException.class, () -> selector.select(again -> {}));
                key.cancel();
            }));
            assertEquals(0, selector.selectNow(key -> assertFalse(key.isValid())));
            assertTrue(selector.keys().isEmpty());
            linked.server.register(selector, OP_WRITE);
            assertThrows(
                    ClosedSelectorException.class,
                    () -> selector.select(key -> {
                        try {
                            selector.close();
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    }));
        }
    }

    @Test
    default void shouldShowItsKeys() throws Exception {
        try (var linked = transport().linked();
                Selector selector = transport().openSelector()) {
            SelectionKey one = linked.server.configureBlocking(false).register(selector, OP_WRITE);
            SelectionKey other = linked.client.configureBlocking(false).register(selector, OP_WRITE);
            assertEquals(Set.of(one, other), new HashSet<>(selector.keys()));
            assertThrows(
                    UnsupportedOperationException.class, () -> selector.keys().remove(one));
            assertThrows(
                    UnsupportedOperationException.class, () -> selector.keys().clear());
            Set<SelectionKey> selected = selector.selectedKeys();
            assertThrows(UnsupportedOperationException.class, () -> selected.add(one));
            assertEquals(2, selector.select());
            assertEquals(Set.of(one, other), selected);
            Iterator<SelectionKey> first = selected.iterator();
            Iterator<SelectionKey> second = selected.iterator();
            assertNotSame(first, second);
            SelectionKey removed = first.next();
            first.remove();
            assertThrows(IllegalStateException.class, first::remove);
            assertFalse(selected.contains(removed) || !selected.contains(first.next()));
            assertFalse(first.hasNext());
            assertThrows(NoSuchElementException.class, first::next);
            assertEquals(1, selected.size());
            assertFalse(selected.remove(removed));
            assertTrue(selected.removeAll(List.of(one, other)));
            assertTrue(selected.isEmpty());
            assertEquals(2, selector.select());
            selected.retainAll(List.of(one));
            assertEquals(Set.of(one), selected);
            selected.clear();
            assertEquals(2, selector.selectNow());
        }
    }
}
