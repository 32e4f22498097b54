// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Queues and requests remember the result of checks; here that changes after they were used. */
@Tag("device")
@Tag("connectx")
class RememberedChecksTest {

    private RcPair pair;
    private SendRequest send;
    private ReceiveRequest receive;

    @BeforeEach
    void use() {
        pair = RcPair.connected(config -> config.maxSendSge(2));
        send = pair.a.send(0, 8);
        receive = pair.b.receive(0, 8);
        assertTrue(pair.b.qp.tryPost(receive));
        posted();
        pair.b.awaitSuccess();
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private void posted() {
        assertTrue(pair.a.qp.tryPost(send));
        pair.a.awaitSuccess();
    }

    private <T extends Throwable> void assertRefused(Class<T> kind) {
        assertThrows(kind, () -> pair.a.qp.tryPost(send));
        assertThrows(kind, () -> pair.a.qp.tryPostChain(send));
    }

    @Test
    void shouldRefuseTheOwnerThatHandedOver() throws InterruptedException {
        var next = new Thread(() -> {});
        pair.a.qp.handOver(next);
        pair.b.qp.handOver(next);
        pair.a.cq.handOver(next);
        assertRefused(WrongThreadException.class);
        assertThrows(WrongThreadException.class, () -> pair.b.qp.tryPost(receive));
        assertThrows(WrongThreadException.class, () -> pair.a.cq.poll(pair.a.done));
        next.start();
        next.join(); // what belonged to a thread that has ended goes to the first thread that uses it
        assertTrue(pair.b.qp.tryPost(receive));
        posted();
    }

    @Test
    void shouldRefuseARequestThatWasHandedOver() throws InterruptedException {
        var next = new Thread(() -> {});
        send.handOver(next);
        receive.handOver(next);
        assertRefused(WrongThreadException.class);
        assertThrows(WrongThreadException.class, () -> pair.b.qp.tryPost(receive));
        assertThrows(WrongThreadException.class, () -> send.wrId(1));
        var first = pair.a.send(0, 8).next(send);
        assertThrows(WrongThreadException.class, () -> pair.a.qp.tryPostChain(first));
        next.start();
        next.join();
        assertTrue(pair.b.qp.tryPost(receive));
        posted();
    }

    /** A queue pair of a thread that has ended goes to another, but not the requests of a third. */
    @Test
    void shouldRefuseTheRequestsOfAThirdThread() throws InterruptedException {
        var first = new Thread(() -> pair.a.qp.post(send));
        send.handOver(first);
        pair.a.qp.handOver(first);
        assertTrue(pair.b.qp.tryPost(receive));
        first.start();
        first.join();
        pair.b.awaitSuccess();
        var held = new CountDownLatch(1);
        var release = new CountDownLatch(1);
        var third = Thread.ofPlatform().start(() -> {
            send.wrId(2); // its owner has ended: it is this thread's now
            held.countDown();
            assertDoesNotThrow(() -> release.await());
        });
        held.await();
        assertRefused(WrongThreadException.class);
        release.countDown();
        third.join();
    }

    @Test
    void shouldRefuseARegionOfAnotherDomain() {
        try (var other = pair.a.device.allocateProtectionDomain();
                var foreign = other.register(pair.a.memory(), AccessFlag.LOCAL_WRITE)) {
            send.opcode(SendOpcode.RDMA_WRITE).remote(pair.b.region.address(), pair.b.region.rkey());
            posted();
            send.sge(0, foreign, 0, 8);
            assertRefused(IllegalArgumentException.class);
            assertRefused(IllegalArgumentException.class);
            send.sge(0, pair.a.region, 0, 8);
            posted();
            send.sge(0, foreign, 0, 8).inline(true); // the post copies it: no device reaches the region
            posted();
            send.inline(false);
            assertRefused(IllegalArgumentException.class);
            var two = SendRequest.prepare(2).sge(0, pair.a.region, 0, 8).sge(1, foreign, 0, 8);
            assertThrows(IllegalArgumentException.class, () -> pair.a.qp.tryPost(two));
            two.sge(1, pair.a.region, 0, 8);
            assertThrows(IllegalArgumentException.class, () -> pair.a.qp.tryPostChain(two.next(send)));
            var gone = ReceiveRequest.prepare(foreign);
            assertThrows(IllegalArgumentException.class, () -> pair.a.qp.tryPost(gone));
            var shared = pair.a.closedWithPair(pair.a.pd.createSharedReceiveQueue(config -> {}));
            assertThrows(IllegalArgumentException.class, () -> shared.tryPost(gone));
            assertThrows(IllegalArgumentException.class, () -> shared.tryPostChain(gone));
            assertTrue(shared.tryPost(gone.sge(0, pair.a.region, 0, 8)));
        }
    }

    @Test
    void shouldRefuseWhatIsClosed() {
        pair.a.qp.close();
        pair.b.qp.close();
        pair.a.cq.close();
        assertRefused(IllegalStateException.class);
        assertThrows(IllegalStateException.class, () -> pair.b.qp.tryPost(receive));
        assertThrows(IllegalStateException.class, () -> pair.a.cq.poll(pair.a.done));
    }

    @Test
    void shouldRefuseInAStateThatDoesNotAllowIt() {
        pair.a.qp.modify(QueuePairTransition.to(QueuePairState.RESET));
        pair.b.qp.modify(QueuePairTransition.to(QueuePairState.RESET));
        assertRefused(IllegalStateException.class);
        assertThrows(IllegalStateException.class, () -> pair.b.qp.tryPost(receive));
    }

    @Test
    void shouldRefuseARegionThatIsClosed() {
        try (var arena = Arena.ofConfined()) {
            var region = pair.a.pd.register(arena.allocate(8, 8), AccessFlag.LOCAL_WRITE);
            send = SendRequest.prepare(region).opcode(SendOpcode.RDMA_WRITE).signaled(true);
            send.remote(pair.b.region.address(), pair.b.region.rkey());
            posted();
            region.close();
            assertRefused(IllegalStateException.class);
        }
    }

    @Test
    void shouldRefuseARegionWhoseMemoryIsGone() {
        var arena = Arena.ofConfined();
        try (var region = pair.a.pd.register(arena.allocate(8, 8), AccessFlag.LOCAL_WRITE)) {
            send = SendRequest.prepare(region).opcode(SendOpcode.RDMA_WRITE).signaled(true);
            send.remote(pair.b.region.address(), pair.b.region.rkey());
            posted();
            arena.close();
            assertRefused(IllegalStateException.class);
        }
    }

    @Test
    void shouldRefuseARequestThatBecameInline() {
        int most = pair.a.qp.capabilities().maxInline();
        send = pair.a.send(0, most + 1).opcode(SendOpcode.RDMA_WRITE);
        send.remote(pair.b.region.address(), pair.b.region.rkey());
        posted();
        send.inline(true);
        assertRefused(IllegalArgumentException.class);
        send.length(most);
        posted();
        send.inline(false).length(most + 1);
        posted();
    }

    @Test
    void shouldRefuseAnInlineRequestThatGotLonger() {
        int most = pair.a.qp.capabilities().maxInline();
        send.opcode(SendOpcode.RDMA_WRITE).remote(pair.b.region.address(), pair.b.region.rkey());
        send.inline(true).length(most);
        posted();
        send.length(most + 1);
        assertRefused(IllegalArgumentException.class);
        send.remote(pair.b.region.remoteMemory(), 0);
        assertRefused(IllegalArgumentException.class);
        send.length(most);
        posted();
        send.remote(pair.b.region.remoteMemory(), 8); // less is left of it, which changes nothing of the first limit
        posted();
        send.length(most + 1);
        assertRefused(IllegalArgumentException.class);
    }

    @Test
    void shouldRefuseADatagramThatGotTooLongOrLostItsWay() throws InterruptedException {
        try (var ud = RcPair.datagrams()) {
            AddressHandle way = ud.a.pd.createAddressHandle(AddressVector.global(ud.a.gid, ud.b.gid.gid()));
            SendRequest datagram = ud.a.send(0, 8).to(way, ud.b.qp.qpNum(), RcPair.QKEY);
            assertTrue(ud.a.qp.tryPost(datagram));
            datagram.length(ud.a.device.port(1).activeMtu().bytes() + 1);
            assertThrows(IllegalArgumentException.class, () -> ud.a.qp.tryPost(datagram));
            assertTrue(ud.a.qp.tryPost(datagram.length(8)));
            var next = new Thread(() -> {});
            way.handOver(next);
            assertThrows(WrongThreadException.class, () -> ud.a.qp.tryPost(datagram));
            assertThrows(WrongThreadException.class, () -> ud.a.qp.tryPostChain(datagram));
            next.start();
            next.join();
            assertTrue(ud.a.qp.tryPost(datagram));
            for (int sent = 0; sent < 3; ) {
                sent += ud.a.await();
            }
            way.close();
            assertThrows(IllegalStateException.class, () -> ud.a.qp.tryPost(datagram));
            assertThrows(IllegalStateException.class, () -> ud.a.qp.tryPostChain(datagram));
        }
    }

    @Test
    void shouldRefuseARequestThatGotMoreBuffers() {
        int most = pair.a.qp.capabilities().maxSendSge();
        send = SendRequest.prepare(most + 1).opcode(SendOpcode.RDMA_WRITE).signaled(true);
        send.remote(pair.b.region.address(), pair.b.region.rkey());
        posted();
        for (int i = 0; i < most; i++) {
            send.sge(i, pair.a.region, 8L * i, 8);
            posted();
        }
        send.sge(most, pair.a.region, 8L * most, 8);
        assertRefused(IllegalArgumentException.class);
    }

    @Test
    void shouldRefuseARequestThatGotAnotherBehindIt() {
        send.opcode(SendOpcode.RDMA_WRITE).remote(pair.b.region.address(), pair.b.region.rkey());
        send.next(pair.a.send(0, 8));
        assertThrows(IllegalArgumentException.class, () -> pair.a.qp.tryPost(send));
        send.next(null);
        posted();
    }

    @Test
    void shouldRefuseAReadThatCouldNoLongerWrite() {
        send.opcode(SendOpcode.RDMA_READ).remote(pair.b.region.address(), pair.b.region.rkey());
        posted();
        try (var arena = Arena.ofConfined();
                var readOnly = pair.a.pd.register(arena.allocate(8, 8))) {
            assertFalse(readOnly.isWritable());
            send.sge(0, readOnly, 0, 8);
            assertRefused(IllegalArgumentException.class);
            send.sge(0, pair.a.region, 0, 8);
            posted();
            send.sge(0, readOnly, 0, 8).opcode(SendOpcode.RDMA_WRITE);
            posted();
            send.opcode(SendOpcode.RDMA_READ);
            assertRefused(IllegalArgumentException.class);
        }
    }

    @Test
    void shouldRefuseAnAtomicWhoseLengthChanged() {
        send.fetchAndAdd(pair.b.region.address(), pair.b.region.rkey(), 1);
        posted();
        send.length(16);
        assertRefused(IllegalArgumentException.class);
        send.range(8, 8);
        posted();
        send.range(0, 4);
        assertRefused(IllegalArgumentException.class);
    }

    @Test
    void shouldRefuseAnOperationThatLacksSomething() {
        send.compareAndSwap(pair.b.region.address(), pair.b.region.rkey(), 1, 2);
        posted();
        send.opcode(SendOpcode.RDMA_WRITE);
        assertRefused(IllegalArgumentException.class);
        send.remote(pair.b.region.address(), pair.b.region.rkey());
        posted();
        send.opcode(SendOpcode.ATOMIC_CMP_AND_SWP);
        assertRefused(IllegalArgumentException.class);
    }
}
