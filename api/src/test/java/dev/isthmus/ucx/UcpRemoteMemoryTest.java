// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.RdmaUnavailableException;
import dev.isthmus.UcxException;
import dev.isthmus.internal.ucx.UcxLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("ucx")
class UcpRemoteMemoryTest {

    private static final long[] SIZES = {0, 1, 7, 8, 64, 100, 4095, 4096, 9000, 65536, 100_001, 1 << 20};
    private static final int LARGE = 1 << 20;

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldPutAndGetEverySize(String tls) {
        transferEverySize(tls, true);
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldPutAndGetMemoryOfTheProgram(String tls) {
        transferEverySize(tls, false);
    }

    private static void transferEverySize(String tls, boolean allocated) {
        try (var pair = new RemotePair(tls, LARGE + 8, allocated)) {
            int seed = 0;
            for (long size : SIZES) {
                MemorySegment from = pair.filled(size, ++seed);
                MemorySegment to = pair.filled(size, -seed);
                pair.end(pair.remote.put(from, 0, size, 8));
                pair.flush();
                assertEquals(-1, pair.segment().asSlice(8, size).mismatch(from), "put of " + size);
                pair.end(pair.remote.get(to, 0, size, 8));
                assertEquals(-1, to.mismatch(from), "get of " + size);
            }
            assertEquals(0, pair.segment().get(ValueLayout.JAVA_LONG, 0), "what lies before");
            assertEquals(0, pair.requests().outstanding());
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldTransferPartOfRegisteredMemory(String tls) {
        try (var pair = new RemotePair(tls, LARGE);
                var local = pair.pair.context.register(pair.filled(LARGE, 3))) {
            MemorySegment source = local.segment();
            pair.end(pair.remote.put(local, 10, 50_000, 20));
            pair.flush();
            assertEquals(-1, pair.segment().asSlice(20, 50_000).mismatch(source.asSlice(10, 50_000)));
            pair.end(pair.remote.get(local, 200_000, 50_000, 20));
            assertEquals(-1, source.asSlice(200_000, 50_000).mismatch(source.asSlice(10, 50_000)));
            pair.remote.putImplicit(local, 0, 8, 0);
            pair.flush();
            pair.remote.getImplicit(local, 100, 8, 0);
            pair.flush();
            assertEquals(-1, source.asSlice(100, 8).mismatch(source.asSlice(0, 8)));
        }
    }

    @Test
    void shouldRefuseTheThreadThatHasHandedTheWorkerOver() throws InterruptedException {
        try (var pair = new RemotePair(UcxTransports.any(), 64)) {
            UcpWorker worker = pair.pair.sender;
            MemorySegment from = pair.arena.allocate(8);
            pair.end(pair.remote.put(from, 0, 8, 0));
            pair.end(pair.pair.endpoint.tagSend(from, UcpPair.TAG));
            Thread mine = Thread.currentThread();
            Thread other = new Thread(() -> worker.handOver(mine));
            worker.handOver(other);
            assertThrows(WrongThreadException.class, () -> pair.remote.put(from, 0, 8, 0));
            assertThrows(WrongThreadException.class, () -> pair.pair.endpoint.tagSend(from, UcpPair.TAG));
            other.start();
            other.join();
            pair.end(pair.remote.put(from, 0, 8, 0));
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldForgetImplicitOperationsWhenFlushed(String tls) {
        int count = 3000;
        int size = 1000;
        try (var pair = new RemotePair(tls, count * 8L)) {
            MemorySegment from = pair.filled(count * 8L, 5);
            MemorySegment to = pair.filled(size, 6);
            for (int i = 0; i < count; i++) {
                pair.remote.putImplicit(from, i * 8L, 8, i * 8L);
            }
            pair.flush();
            assertEquals(-1, pair.segment().mismatch(from));
            for (int i = 0; i < 200; i++) {
                pair.remote.getImplicit(to, 0, size, i);
                assertEquals(0, pair.requests().outstanding());
            }
            pair.end(pair.pair.sender.flush());
            assertEquals(-1, to.mismatch(from.asSlice(199, size)));
            assertEquals(0, pair.pair.sender.pending().count(null));
        }
    }

    @Test
    void shouldCompleteFutures() {
        try (var pair = new RemotePair(UcxTransports.any(), LARGE)) {
            MemorySegment from = pair.filled(LARGE, 1);
            MemorySegment to = pair.filled(LARGE, 2);
            CompletableFuture<Void> all = pair.remote
                    .putAsync(from, 0)
                    .thenCompose(nothing -> pair.remote.getAsync(to, 0))
                    .thenCompose(nothing -> pair.remote.getAsync(to.asSlice(0, 0), LARGE));
            UcxTransports.until(all::isDone, pair.pair::progress);
            all.join();
            assertEquals(-1, to.mismatch(from));
        }
    }

    @Test
    void shouldCompleteFuturesOfRangesAndRegisteredMemory() {
        try (var pair = new RemotePair(UcxTransports.any(), LARGE);
                var local = pair.pair.context.register(pair.filled(LARGE, 1))) {
            MemorySegment to = pair.filled(LARGE, 2);
            CompletableFuture<Void> all = pair.remote
                    .putAsync(local, 100, LARGE - 100, 0)
                    .thenCompose(nothing -> pair.remote.putAsync(local.segment(), 0, 100, LARGE - 100))
                    .thenCompose(nothing -> pair.remote.getAsync(to, 100, LARGE - 100, 0))
                    .thenCompose(nothing -> pair.remote.getAsync(local, 0, 100, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> pair.remote.putAsync(local, 1, LARGE, 0));
            UcxTransports.until(all::isDone, pair.pair::progress);
            all.join();
            MemorySegment before = pair.filled(LARGE, 1);
            assertEquals(-1, to.asSlice(100).mismatch(before.asSlice(100)));
            assertEquals(-1, local.segment().asSlice(0, 100).mismatch(before.asSlice(100, 100)));
            assertEquals(0, pair.pair.endpoint.outstandingBytes());
        }
    }

    @Test
    void shouldRefuseWhatIsOutsideOfEitherMemory() {
        try (var pair = new RemotePair(UcxTransports.any(), 100);
                var local = pair.pair.context.register(pair.arena.allocate(200))) {
            MemorySegment buffer = pair.arena.allocate(200);
            UcpRemoteMemory remote = pair.remote;
            var e = assertThrows(IndexOutOfBoundsException.class, () -> remote.put(buffer, 0, 101, 0));
            assertTrue(e.getMessage().contains("of 100 bytes"), e.getMessage());
            assertThrows(IndexOutOfBoundsException.class, () -> remote.put(buffer, 0, 1, 100));
            assertThrows(IndexOutOfBoundsException.class, () -> remote.put(buffer, 0, 1, -1));
            assertThrows(IndexOutOfBoundsException.class, () -> remote.put(buffer, 0, -1, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> remote.put(buffer, 0, Long.MAX_VALUE, 1));
            assertThrows(IndexOutOfBoundsException.class, () -> remote.put(buffer, 150, 51, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> remote.get(buffer, 150, 51, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> remote.get(buffer, 0, 8, 93));
            assertThrows(IndexOutOfBoundsException.class, () -> remote.get(local, 193, 8, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> remote.putImplicit(local, 193, 8, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> remote.getAsync(buffer, 0));
            assertEquals(0, remote.put(buffer, 200, 0, 100));
            assertEquals(0, remote.get(local, 200, 0, 100));
            assertEquals(0, pair.requests().outstanding());
        }
    }

    @Test
    void shouldRefuseBuffersThatUcxCannotUse() {
        try (var pair = new RemotePair(UcxTransports.any(), 100);
                var elsewhere = UcpContext.create(config -> config.features(RemotePair.FEATURES));
                var foreign = elsewhere.register(pair.arena.allocate(8))) {
            UcpRemoteMemory remote = pair.remote;
            MemorySegment heap = MemorySegment.ofArray(new byte[8]);
            MemorySegment readOnly = pair.arena.allocate(8).asReadOnly();
            MemorySegment closed;
            try (Arena arena = Arena.ofConfined()) {
                closed = arena.allocate(8);
            }
            assertThrows(IllegalArgumentException.class, () -> remote.put(heap, 0, 8, 0));
            assertThrows(IllegalArgumentException.class, () -> remote.get(heap, 0, 8, 0));
            assertThrows(IllegalArgumentException.class, () -> remote.get(readOnly, 0, 8, 0));
            pair.end(remote.put(readOnly, 0, 8, 0));
            assertThrows(IllegalStateException.class, () -> remote.put(closed, 0, 8, 0));
            assertThrows(IllegalStateException.class, () -> remote.getImplicit(closed, 0, 8, 0));
            var e = assertThrows(IllegalArgumentException.class, () -> remote.put(foreign, 0, 8, 0));
            assertTrue(e.getMessage().contains("is not of the worker's"), e.getMessage());
            UcpMemory gone = pair.pair.context.register(pair.arena.allocate(8));
            gone.close();
            var of = assertThrows(IllegalStateException.class, () -> remote.put(gone, 0, 8, 0));
            assertTrue(of.getMessage().endsWith("is closed"), of.getMessage());
            assertThrows(IllegalStateException.class, () -> remote.getImplicit(gone, 0, 8, 0));
            assertEquals(0, pair.requests().outstanding());
        }
    }

    @Test
    void shouldRefuseOtherThreads() {
        try (var pair = new RemotePair(UcxTransports.any(), 100);
                Arena shared = Arena.ofShared()) {
            MemorySegment buffer = shared.allocate(8);
            CompletableFuture.runAsync(
                            () -> {
                                refuseThread(() -> pair.remote.put(buffer, 0, 8, 0));
                                refuseThread(() -> pair.remote.atomics().post64(UcpAtomic.ADD, 0, 1));
                                refuseThread(pair.remote::pointer);
                                refuseThread(pair.remote::close);
                                refuseThread(() -> pair.pair.endpoint.unpack(pair.memory.packKey()));
                            },
                            Thread.ofPlatform()::start)
                    .join();
        }
    }

    private static void refuseThread(Executable use) {
        assertThrows(WrongThreadException.class, use);
    }

    @Test
    void shouldRefuseWithoutTheFeature() {
        try (var pair = new UcpPair(UcxTransports.any());
                var memory = pair.context.register(pair.arena.allocate(8));
                var capable = UcpContext.create(config -> config.features(RemotePair.FEATURES));
                var other = capable.register(pair.arena.allocate(8))) {
            assertThrows(IllegalStateException.class, memory::packKey);
            UcpPackedKey key = other.packKey();
            var e = assertThrows(IllegalStateException.class, () -> pair.endpoint.unpack(key));
            assertTrue(e.getMessage().contains("UcpFeature.RMA"), e.getMessage());
        }
    }

    @Test
    void shouldRefuseClosedMemoryForNoBytesToo() {
        try (var pair = new RemotePair(UcxTransports.any(), 64)) {
            UcpMemory own = pair.pair.context.register(pair.filled(8, 1));
            own.close();
            for (long bytes : new long[] {0, 8}) {
                assertThrows(IllegalStateException.class, () -> pair.remote.put(own, 0, bytes, 0));
                assertThrows(IllegalStateException.class, () -> pair.remote.get(own, 0, bytes, 0));
            }
        }
    }

    @Test
    void shouldTransferNothingWhereItMight() {
        try (var pair = new RemotePair(UcxTransports.any(), 64)) {
            MemorySegment buffer = pair.filled(8, 1);
            MemorySegment closed;
            try (Arena arena = Arena.ofConfined()) {
                closed = arena.allocate(8);
            }
            for (long at : new long[] {0, 8}) {
                assertEquals(0, pair.remote.put(buffer, at, 0, 64));
                assertEquals(0, pair.remote.get(buffer, at, 0, 0));
            }
            assertThrows(IllegalStateException.class, () -> pair.remote.put(closed, 0, 0, 0));
            assertThrows(IllegalStateException.class, () -> pair.remote.get(closed, 0, 0, 0));
            assertThrows(IllegalArgumentException.class, () -> pair.remote.get(buffer.asReadOnly(), 0, 0, 0));
            for (long wrong : new long[] {-1, 9, 65, Long.MIN_VALUE, Long.MIN_VALUE + 1, Long.MAX_VALUE}) {
                refuseRange(() -> pair.remote.put(buffer, 0, wrong, 0));
                refuseRange(() -> pair.remote.get(buffer, 0, wrong, 0));
                refuseRange(() -> pair.remote.put(buffer, wrong, 0, 0));
                refuseRange(() -> pair.remote.get(buffer, wrong, 0, 0));
                if (wrong != 9) {
                    refuseRange(() -> pair.remote.put(buffer, 0, 0, wrong));
                    refuseRange(() -> pair.remote.get(buffer, 0, 1, wrong));
                }
            }
        }
    }

    private static void refuseRange(Executable use) {
        assertThrows(IndexOutOfBoundsException.class, use);
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldRefuseToCloseInTheWrongOrder(String tls) {
        try (var pair = new RemotePair(tls, 64)) {
            var e = assertThrows(IllegalStateException.class, pair.pair.endpoint::close);
            assertTrue(e.getMessage().contains("close first its 1 UcpRemoteMemory"), e.getMessage());
            assertThrows(IllegalStateException.class, pair.pair.endpoint::closeForcibly);
            assertThrows(IllegalStateException.class, pair.pair.sender::close);
            assertThrows(IllegalStateException.class, pair.pair.context::close);
            pair.end(pair.remote.put(pair.filled(64, 1), 0, 64, 0));
            pair.flush();
            pair.remote.close();
            pair.remote.close();
            var closed = assertThrows(IllegalStateException.class, () -> pair.remote.put(pair.filled(8, 1), 0, 8, 0));
            assertTrue(closed.getMessage().endsWith("is closed"), closed.getMessage());
            assertThrows(
                    IllegalStateException.class, () -> pair.remote.atomics().fetch64(UcpAtomic.ADD, 0, 1));
            assertThrows(IllegalStateException.class, pair.remote::pointer);
            pair.pair.close(); // closes the context last
        } catch (IllegalStateException e) {
            assertTrue(e.getMessage().contains("1 UcpMemory"), e.getMessage());
        }
    }

    @Test
    void shouldPutOffTheEndpointsCloseInsideCallback() {
        try (var pair = new RemotePair(UcxTransports.any(), 64)) {
            UcpWorker worker = pair.pair.sender;
            worker.callbacks().enter();
            pair.pair.endpoint.close();
            assertThrows(IllegalStateException.class, () -> pair.remote.put(pair.filled(8, 1), 0, 8, 0));
            worker.callbacks().leave();
            var e = assertThrows(IllegalStateException.class, worker::progress);
            assertTrue(e.getMessage().contains("1 UcpRemoteMemory"), e.getMessage());
            pair.end(pair.remote.put(pair.filled(8, 1), 0, 8, 0));
            worker.callbacks().enter();
            pair.remote.close();
            pair.pair.endpoint.close();
            worker.callbacks().leave();
            worker.progress();
            assertFalse(pair.pair.endpoint.isOpen());
        }
    }

    /** A get over TCP needs the peer's progress, which does not happen here. */
    @Tag("host") // over TCP, which the devices of the testbed are not
    @Test
    @SuppressWarnings("try") // a close is what is tested
    void shouldKeepWhatOutstandingOperationsUse() {
        try (var context = UcpContext.create(
                        config -> config.set("TLS", "tcp,self").features(RemotePair.FEATURES));
                var arena = Arena.ofConfined();
                var target = context.createWorker();
                var memory = context.allocate(4096);
                var local = context.register(arena.allocate(4096));
                var origin = context.createWorker(UcpPair.closingWithin(Duration.ofMillis(50)));
                var endpoint = origin.createEndpoint(target.address());
                var remote = endpoint.unpack(memory.packKey())) {
            memory.segment().fill((byte) 7);
            UcpRequests requests = origin.requests();
            long get = remote.get(local, 0, 4096, 0);
            remote.getImplicit(local, 0, 10, 0);
            var e = assertThrows(IllegalStateException.class, local::close);
            assertTrue(e.getMessage().contains("is used by 2 operations"), e.getMessage());
            assertThrows(IllegalStateException.class, () -> requests.release(get));
            assertEquals(1, requests.outstanding());
            remote.close(); // C's part stays while the operations do
            UcxTransports.until(() -> requests.isDone(get), () -> {
                origin.progress();
                target.progress();
            });
            assertEquals(UcsStatus.OK, requests.status(get));
            requests.release(get);
            long flush = endpoint.flush();
            UcxTransports.until(() -> requests.isDone(flush), () -> {
                origin.progress();
                target.progress();
            });
            requests.release(flush);
            assertEquals(-1, memory.segment().mismatch(local.segment()));
            local.close();
        }
    }

    @Tag("host") // over TCP, which the devices of the testbed are not
    @Test
    void shouldCloseWorkerWithOperationsThatNeverEnd() {
        try (var context = UcpContext.create(
                        config -> config.set("TLS", "tcp,self").features(RemotePair.FEATURES));
                var arena = Arena.ofConfined();
                var target = context.createWorker();
                var memory = context.allocate(4096);
                var local = context.register(arena.allocate(4096));
                var origin = context.createWorker(UcpPair.closingWithin(Duration.ofMillis(50)));
                var endpoint = origin.createEndpoint(target.address());
                var remote = endpoint.unpack(memory.packKey())) {
            remote.get(local, 0, 4096, 0);
            remote.getImplicit(local, 0, 10, 0);
            assertThrows(IllegalStateException.class, local::close);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldMapSharedMemoryOrSayThatItCannot(String tls) {
        try (var pair = new RemotePair(tls, 4096)) {
            var pointer = pair.remote.pointer();
            assertEquals(tls.startsWith("posix") || tls.startsWith("sysv"), pointer.isPresent());
            if (pointer.isEmpty()) {
                return;
            }
            MemorySegment mapped = pointer.get();
            assertEquals(4096, mapped.byteSize());
            mapped.setAtIndex(ValueLayout.JAVA_LONG, 511, 42);
            assertEquals(42, pair.segment().getAtIndex(ValueLayout.JAVA_LONG, 511));
            pair.segment().setAtIndex(ValueLayout.JAVA_LONG, 0, 43);
            assertEquals(43, mapped.getAtIndex(ValueLayout.JAVA_LONG, 0));
            assertEquals(mapped, pair.remote.pointer().orElseThrow());
            pair.remote.close();
            assertThrows(IllegalStateException.class, () -> mapped.get(ValueLayout.JAVA_BYTE, 0));
        }
    }

    /** From UCX 1.16 on, a key stays bound to the connection's transports at the time when it was unpacked. */
    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#withPeerErrors")
    void shouldRefuseKeyUntilTheConnectionIsEstablished(String tls) {
        try (var pair = new SocketPair(tls, UcpPair.closingWithin(Duration.ofMillis(200)), RemotePair.FEATURES);
                var memory = pair.context.allocate(64)) {
            memory.segment().fill((byte) 0);
            UcpPackedKey key = memory.packKey();
            UcpEndpoint endpoint = pair.connect(config -> {});
            var e = assertThrows(IllegalStateException.class, () -> endpoint.unpack(key));
            assertTrue(e.getMessage().contains("still connecting"), e.getMessage());
            UcpEndpoint accepted = pair.keep(pair.request().accept());
            pair.exchange(endpoint, accepted, 8);
            UcpRequests requests = pair.client.requests();
            long flush = endpoint.flush();
            UcxTransports.until(() -> requests.isDone(flush), pair::progress);
            requests.release(flush);
            try (var remote = endpoint.unpack(key)) {
                MemorySegment from = pair.arena.allocate(8);
                from.set(ValueLayout.JAVA_LONG, 0, 42);
                long put = remote.put(from, 0, 8, 8);
                UcxTransports.until(() -> requests.isDone(put), pair::progress);
                requests.release(put);
                long end = endpoint.flush();
                UcxTransports.until(() -> requests.isDone(end), pair::progress);
                requests.release(end);
                assertEquals(42, memory.segment().get(ValueLayout.JAVA_LONG, 8));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldRefuseKeyOfMemoryThatHasGone(String tls) {
        try (var pair = new RemotePair(tls, 4096)) {
            UcpMemory gone = pair.pair.context.allocate(1 << 20);
            UcpPackedKey key = gone.packKey();
            gone.close();
            boolean shared = tls.startsWith("posix") || tls.startsWith("sysv");
            if (shared) {
                var e = assertThrows(UcxException.class, () -> pair.pair.endpoint.unpack(key));
                assertTrue(e.getMessage().startsWith("ucp_ep_rkey_unpack("), e.getMessage());
            } else {
                pair.pair.endpoint.unpack(key).close(); // the peer would refuse its use
            }
            pair.end(pair.remote.put(pair.filled(8, 1), 0, 8, 0));
        }
    }

    /** In a container UCX adds the namespace to the memory's location, and would not survive that either. */
    @Test
    void shouldTellThatMemoryHasGoneByAKeyFromAContainer() {
        long fileOfProcess = 0b1001L << 60; // of process 0, which has none
        byte[] rkey = ByteBuffer.allocate(42)
                .order(ByteOrder.nativeOrder())
                .putLong(1)
                .put((byte) 0)
                .put((byte) 32)
                .putLong(fileOfProcess)
                .putLong(4096)
                .putLong(64)
                .putLong(4_026_531_836L)
                .array();
        boolean fatal = UcxVersion.loaded().minor() < 19;
        assertEquals(fatal, PackedKeyFormat.isGone(UcpPackedKey.ofRaw(4096, 64, rkey)));
    }

    @Test
    void shouldCompareKeysOrSayWhichVersionCan() {
        try (var pair = new RemotePair(UcxTransports.any(), 64);
                var same = pair.pair.endpoint.unpack(pair.memory.packKey())) {
            if (UcxLibrary.load()[1] >= 16) {
                assertEquals(0, pair.remote.compareKey(pair.remote));
                assertEquals(
                        -Integer.signum(same.compareKey(pair.remote)), Integer.signum(pair.remote.compareKey(same)));
            } else {
                var e = assertThrows(RdmaUnavailableException.class, () -> pair.remote.compareKey(same));
                assertTrue(e.getMessage().startsWith("ucp_rkey_compare needs UCX 1.16, and"), e.getMessage());
            }
        }
    }

    /** Concurrent gets and puts from several endpoints, each with memory of its own. */
    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldReachMemoryOverSeveralEndpoints(String tls) {
        try (var pair = new RemotePair(tls, 4 * 8192L);
                var second = pair.pair.sender.createEndpoint(pair.pair.receiver.address());
                var over = second.unpack(UcpPackedKey.of(pair.memory.packKey().toByteArray()))) {
            MemorySegment from = pair.filled(8192, 9);
            long first = pair.remote.put(from, 0, 8192, 0);
            long other = over.put(from, 0, 8192, 8192);
            pair.end(first);
            pair.end(other);
            pair.end(pair.pair.sender.flush());
            assertEquals(-1, pair.segment().asSlice(0, 8192).mismatch(from));
            assertEquals(-1, pair.segment().asSlice(8192, 8192).mismatch(from));
            assertEquals(0, pair.segment().get(ValueLayout.JAVA_BYTE, 16384));
        }
    }
}
