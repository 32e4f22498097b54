// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Side b lends its memory through windows, and side a writes to them. */
@Tag("device")
@Tag("connectx")
class MemoryWindowTest {

    private static final long OFFSET = 1024;
    private static final long LENGTH = 512;

    private final Arena arena = Arena.ofShared();
    private RcPair pair;
    private MemoryRegion region; // the peer has no right to it but by a window
    private MemorySegment memory;

    @BeforeEach
    void open() {
        pair = RcPair.connected(config -> {}, RcPair::queueOfDriver);
        memory = arena.allocate(4096, 4096);
        region = pair.b.pd.register(memory, AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND);
    }

    @AfterEach
    void close() {
        region.close();
        pair.close();
        arena.close();
    }

    private WindowBinding writable() {
        return WindowBinding.of(region, OFFSET, LENGTH, AccessFlag.REMOTE_WRITE);
    }

    private CompletionStatus write(long offset, int rkey, int value) {
        pair.a.memory().set(ValueLayout.JAVA_INT, 0, value);
        assertTrue(pair.a.qp.tryPost(
                pair.a.send(0, 4).opcode(SendOpcode.RDMA_WRITE).remote(region.address() + offset, rkey)));
        pair.a.await();
        return pair.a.done.status(0);
    }

    private void assertWritten(int rkey, int value) {
        assertEquals(CompletionStatus.SUCCESS, write(OFFSET + 8, rkey, value));
        assertEquals(value, memory.get(ValueLayout.JAVA_INT, OFFSET + 8));
    }

    private void awaitBind(long wrId) {
        pair.b.await();
        assertTrue(pair.b.done.isSuccess(0), pair.b.done.toString());
        assertEquals(wrId, pair.b.done.wrId(0));
        assertEquals(CompletionOpcode.BIND_MW, pair.b.done.opcode(0));
    }

    private void bindFirst(MemoryWindow window) {
        int before = window.rkey();
        assertTrue(window.tryBind(pair.b.qp, writable(), 7, true));
        awaitBind(7);
        assertNotEquals(before, window.rkey());
    }

    /** Binds a window of type 2, and returns its key. */
    private int bindSecond(MemoryWindow window) {
        int rkey = window.nextRkey();
        assertTrue(pair.b.qp.tryPost(
                SendRequest.prepare(0).bind(window, rkey, writable()).wrId(8).signaled(true)));
        awaitBind(8);
        window.bound(rkey);
        assertEquals(rkey, window.rkey());
        return rkey;
    }

    @Test
    void shouldLetPeerInByWindowOfTypeOneOnly() {
        try (var window = pair.b.pd.allocateWindow(MemoryWindowType.TYPE_1)) {
            bindFirst(window);
            assertWritten(window.rkey(), 4711);
            assertEquals(CompletionStatus.REM_ACCESS_ERR, write(OFFSET + 8, region.rkey(), 4712));
            assertEquals(4711, memory.get(ValueLayout.JAVA_INT, OFFSET + 8));
        }
    }

    @Test
    void shouldKeepPeerWithinTheRegion() {
        try (var window = pair.b.pd.allocateWindow(MemoryWindowType.TYPE_1)) {
            long offset = region.length() - LENGTH;
            assertTrue(window.tryBind(
                    pair.b.qp, WindowBinding.of(region, offset, LENGTH, AccessFlag.REMOTE_WRITE), 7, true));
            awaitBind(7);
            assertEquals(CompletionStatus.SUCCESS, write(region.length() - 4, window.rkey(), 4713));
            assertEquals(CompletionStatus.REM_ACCESS_ERR, write(region.length() - 2, window.rkey(), 4714));
        }
    }

    @Test
    void shouldKeepPeerWithinTheWindowWhereTheDeviceDoes() {
        try (var window = pair.b.pd.allocateWindow(MemoryWindowType.TYPE_1)) {
            bindFirst(window);
            // Soft-RoCE holds a request against the bounds of the region alone.
            boolean soft = SoftRoce.is(pair.b.device.device());
            assertEquals(
                    soft ? CompletionStatus.SUCCESS : CompletionStatus.REM_ACCESS_ERR,
                    write(OFFSET + LENGTH, window.rkey(), 4713));
            assertEquals(soft ? 4713 : 0, memory.get(ValueLayout.JAVA_INT, OFFSET + LENGTH));
        }
    }

    @Test
    void shouldSendAfterABind() {
        try (var window = pair.b.pd.allocateWindow(MemoryWindowType.TYPE_2)) {
            bindSecond(window);
            pair.a.qp.post(pair.a.receive(0, 8));
            pair.b.qp.post(pair.b.send(0, 8));
            pair.b.awaitSuccess();
            pair.a.awaitSuccess();
        }
    }

    @Test
    void shouldLetNobodyInOnceBoundToNothing() {
        try (var window = pair.b.pd.allocateWindow(MemoryWindowType.TYPE_1)) {
            bindFirst(window);
            int rkey = window.rkey();
            assertWritten(rkey, 4714);
            assertTrue(window.tryBind(pair.b.qp, WindowBinding.of(region, OFFSET, 0), 9, true));
            awaitBind(9);
            assertEquals(CompletionStatus.REM_ACCESS_ERR, write(OFFSET + 8, rkey, 4715));
        }
    }

    @Test
    void shouldLetPeerInByWindowOfTypeTwoUntilInvalidatedHere() {
        try (var window = pair.b.pd.allocateWindow(MemoryWindowType.TYPE_2)) {
            int rkey = bindSecond(window);
            assertWritten(rkey, 4716);
            invalidateHere(rkey);
            assertEquals(CompletionStatus.REM_ACCESS_ERR, write(OFFSET + 8, rkey, 4717));
        }
    }

    private void invalidateHere(int rkey) {
        assertTrue(pair.b.qp.tryPost(SendRequest.prepare(0)
                .opcode(SendOpcode.LOCAL_INV)
                .invalidate(rkey)
                .signaled(true)));
        pair.b.await();
        assertTrue(pair.b.done.isSuccess(0), pair.b.done.toString());
    }

    @Test
    void shouldBindAgainWithNextKeyAfterInvalidation() {
        try (var window = pair.b.pd.allocateWindow(MemoryWindowType.TYPE_2)) {
            int first = bindSecond(window);
            invalidateHere(first);
            int second = bindSecond(window);
            assertEquals(MemoryWindow.increment(first), second);
            assertWritten(second, 4718);
            assertEquals(CompletionStatus.REM_ACCESS_ERR, write(OFFSET + 8, first, 4719));
        }
    }

    @Test
    void shouldLetPeerInByWindowOfTypeTwoUntilThePeerInvalidatesIt() {
        try (var window = pair.b.pd.allocateWindow(MemoryWindowType.TYPE_2)) {
            int rkey = bindSecond(window);
            assertWritten(rkey, 4720);
            assertTrue(pair.b.qp.tryPost(pair.b.receive(0, 64)));
            assertTrue(pair.a.qp.tryPost(
                    pair.a.send(0, 4).opcode(SendOpcode.SEND_WITH_INV).invalidate(rkey)));
            pair.b.await();
            assertTrue(pair.b.done.isSuccess(0), pair.b.done.toString());
            assertFalse(pair.b.done.hasImmediate(0));
            if (pair.b.done.hasInvalidatedRkey(0)) {
                assertEquals(rkey, pair.b.done.invalidatedRkey(0));
            } else {
                // Linux 6.1's Soft-RoCE passes the kernel's own number for it, which is IBV_WC_IP_CSUM_OK here.
                assertTrue(pair.b.done.isIpChecksumOk(0));
                assertThrows(IllegalStateException.class, () -> pair.b.done.invalidatedRkey(0));
            }
            pair.a.await();
            assertEquals(CompletionStatus.REM_ACCESS_ERR, write(OFFSET + 8, rkey, 4721));
        }
    }

    @Test
    void shouldLetNobodyInOnceClosed() {
        var window = pair.b.pd.allocateWindow(MemoryWindowType.TYPE_2);
        int rkey = bindSecond(window);
        assertWritten(rkey, 4722);
        window.close();
        window.close();
        assertEquals(CompletionStatus.REM_ACCESS_ERR, write(OFFSET + 8, rkey, 4723));
        assertThrows(IllegalStateException.class, window::rkey);
    }

    @Test
    void shouldHoldTheQueuePairThatHasBoundIt() {
        try (var window = pair.b.pd.allocateWindow(MemoryWindowType.TYPE_2)) {
            int rkey = bindSecond(window);
            var e = assertThrows(IllegalStateException.class, pair.b.qp::close);
            assertTrue(e.getMessage().contains("1 MemoryWindow that it has bound"), e.getMessage());
            assertWritten(rkey, 4725);
        }
        pair.b.qp.close();
    }

    @Test
    void shouldHoldRegionAndDomainOpen() {
        var window = pair.b.pd.allocateWindow(MemoryWindowType.TYPE_2);
        var e = assertThrows(IllegalStateException.class, pair.b.pd::close);
        assertTrue(e.getMessage().contains("1 MemoryWindow"), e.getMessage());
        SendRequest bind = SendRequest.prepare(0).bind(window, window.nextRkey(), writable());
        e = assertThrows(IllegalStateException.class, region::close);
        assertTrue(e.getMessage().contains("1 MemoryWindow"), e.getMessage());
        window.release();
        assertThrows(IllegalStateException.class, () -> pair.b.qp.tryPost(bind));
        bind.bind(window, window.nextRkey(), writable());
        window.close();
        e = assertThrows(IllegalStateException.class, () -> pair.b.qp.tryPost(bind));
        assertTrue(e.getMessage().contains("closed"), e.getMessage());
    }

    @Test
    void shouldSayWhyRegionStaysWhileWindowOfTypeOneIsBound() {
        try (var window = pair.b.pd.allocateWindow(MemoryWindowType.TYPE_1)) {
            bindFirst(window);
            var e = assertThrows(VerbsException.class, region::close);
            assertTrue(e.getMessage().contains("while a memory window is bound"), e.getMessage());
            assertWritten(window.rkey(), 4724); // open as before
        }
    }

    @Test
    void shouldRefuseWhatCannotBeBound() {
        MemoryRegion without = pair.b.region;
        assertThrows(IllegalArgumentException.class, () -> WindowBinding.of(without, 0, 8, AccessFlag.REMOTE_READ));
        assertThrows(IndexOutOfBoundsException.class, () -> WindowBinding.of(region, 4000, 97));
        assertThrows(IllegalArgumentException.class, () -> WindowBinding.of(region, 0, 8, AccessFlag.MW_BIND));
        try (var readOnly = pair.b.pd.register(arena.allocate(64), AccessFlag.MW_BIND);
                var first = pair.b.pd.allocateWindow(MemoryWindowType.TYPE_1);
                var second = pair.b.pd.allocateWindow(MemoryWindowType.TYPE_2);
                var foreign = pair.a.pd.allocateWindow(MemoryWindowType.TYPE_2)) {
            assertThrows(
                    IllegalArgumentException.class, () -> WindowBinding.of(readOnly, 0, 8, AccessFlag.REMOTE_WRITE));
            assertThrows(IllegalStateException.class, () -> second.tryBind(pair.b.qp, writable(), 0, true));
            assertThrows(
                    IllegalStateException.class, () -> SendRequest.prepare(0).bind(first, 1, writable()));
            assertThrows(IllegalStateException.class, () -> first.bound(1));
            assertThrows(
                    IllegalArgumentException.class, () -> SendRequest.prepare(0).bind(foreign, 1, writable()));
            assertThrows(IllegalArgumentException.class, () -> first.tryBind(pair.a.qp, writable(), 0, true));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> SendRequest.prepare(0).bind(second, 1, WindowBinding.of(region, 0, 0)));
            SendRequest bind = SendRequest.prepare(0).bind(second, second.nextRkey(), writable());
            assertThrows(IllegalArgumentException.class, () -> pair.a.qp.tryPost(bind)); // another device
            SendRequest withBuffer = SendRequest.prepare(region).bind(second, second.nextRkey(), writable());
            assertThrows(IllegalArgumentException.class, () -> pair.b.qp.tryPost(withBuffer));
        }
    }

    @Test
    void shouldBelongToOneThread() throws InterruptedException {
        try (var window = pair.b.pd.allocateWindow(MemoryWindowType.TYPE_2)) {
            var e = assertThrows(
                    ExecutionException.class,
                    () -> CompletableFuture.runAsync(window::close).get());
            assertEquals(WrongThreadException.class, e.getCause().getClass());
            var keys = new int[1];
            var other = new Thread(() -> {
                keys[0] = window.nextRkey();
                window.handOver(Thread.currentThread());
            });
            window.handOver(other);
            assertThrows(WrongThreadException.class, window::rkey);
            other.start();
            other.join();
            assertEquals(keys[0], window.nextRkey());
        }
    }
}
