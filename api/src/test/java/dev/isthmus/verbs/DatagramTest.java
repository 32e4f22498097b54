// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.VerbsException;
import dev.isthmus.verbs.attributes.LinkLayer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("device")
class DatagramTest {

    private static final int GRH = GlobalRouteHeader.BYTES;

    private static SendRequest datagram(RcPair.Side from, AddressHandle to, QueuePair receiver) {
        return from.send(0, 5).to(to, receiver.qpNum(), RcPair.QKEY);
    }

    @Test
    void shouldLeaveItsGroupsWhenClosed() throws UnknownHostException {
        try (var pair = RcPair.datagrams()) {
            var qp = pair.b.pd.createQueuePair(QueuePairType.UD, pair.b.cq, pair.b.cq);
            qp.bringUp(1, RcPair.QKEY);
            qp.attachMulticast(Gid.of(InetAddress.getByName("ff0e::4711")), 0);
            qp.close(); // EBUSY in C
            assertThrows(IllegalStateException.class, qp::query);
        }
    }

    @Test
    void shouldRefuseGroupThatItIsInWithAnotherLid() throws UnknownHostException {
        try (var pair = RcPair.datagrams()) {
            Gid group = Gid.of(InetAddress.getByName("ff0e::4712"));
            pair.b.qp.attachMulticast(group, 0);
            pair.b.qp.attachMulticast(group, 0); // which the kernel takes for once
            // To the kernel these are two groups, to Soft-RoCE one, and the queue pair could never be destroyed.
            assertThrows(IllegalArgumentException.class, () -> pair.b.qp.attachMulticast(group, 0xc000));
            assertThrows(VerbsException.class, () -> pair.b.qp.detachMulticast(group, 0xc000));
            pair.b.qp.detachMulticast(group, 0);
            pair.b.qp.attachMulticast(group, 0xc000);
        }
    }

    @Tag("connectx")
    @Test
    void shouldDeliverDatagramBehindItsHeader() {
        try (var pair = RcPair.datagrams()) {
            pair.a.memory().setString(0, "ping");
            assertTrue(pair.b.qp.tryPost(pair.b.receive(0, 2048).wrId(3)));
            assertTrue(pair.a.qp.tryPost(datagram(pair.a, pair.a.wayTo(pair.b), pair.b.qp)
                    .opcode(SendOpcode.SEND_WITH_IMM)
                    .immediate(0xBEEF)));
            pair.b.awaitSuccess();
            var done = pair.b.done;
            assertEquals(3, done.wrId(0));
            assertEquals(CompletionOpcode.RECV, done.opcode(0));
            assertEquals(GRH + 5, done.byteLength(0));
            assertEquals("ping", pair.b.memory().getString(GRH));
            assertEquals(0xBEEF, done.immediate(0));
            assertFalse(done.hasInvalidatedRkey(0));
            assertThrows(IllegalStateException.class, () -> done.invalidatedRkey(0));
            assertEquals(pair.a.qp.qpNum(), done.sourceQpNum(0));
            assertEquals(pair.b.qp.qpNum(), done.qpNum(0));
            assertTrue(done.hasGrh(0));
            assertEquals(0, done.slid(0));
            assertTrue(Set.of(0, 0xBEEF).contains(done.pkeyIndex(0))); // see its Javadoc
            assertEquals(0, done.serviceLevel(0));
            assertEquals(0, done.dlidPathBits(0));

            var header = GlobalRouteHeader.of(pair.b.memory(), 0);
            assertEquals(pair.a.gid.gid(), header.sgid());
            assertEquals(pair.b.gid.gid(), header.dgid());
            assertEquals(pair.a.gid.gid().isIpv4Mapped() ? 4 : 6, header.version());
            pair.a.awaitSuccess();
            assertEquals(CompletionOpcode.SEND, pair.a.done.opcode(0));
        }
    }

    @Tag("connectx")
    @Test
    void shouldAnswerTheSenderOfADatagram() {
        try (var pair = RcPair.datagrams()) {
            pair.b.qp.post(pair.b.receive(0, 2048));
            pair.a.qp.post(datagram(pair.a, pair.a.wayTo(pair.b), pair.b.qp));
            pair.b.awaitSuccess();
            var header = GlobalRouteHeader.of(pair.b.memory(), 0);
            assertThrows(IllegalArgumentException.class, () -> pair.b.pd.createAddressHandle(1, pair.b.done, 0, null));
            assertThrows(
                    IndexOutOfBoundsException.class, () -> pair.b.pd.createAddressHandle(1, pair.b.done, 1, header));
            var back = AddressVector.ofSender(pair.b.device, 1, pair.b.done, 0, header);
            assertEquals(pair.a.gid.gid(), back.dgid());
            assertEquals(pair.b.gid.index(), back.sgidIndex());
            assertEquals(1, back.port());

            pair.a.awaitSuccess();
            int asker = pair.b.done.sourceQpNum(0);
            try (var fromCompletion = pair.b.pd.createAddressHandle(1, pair.b.done, 0, header);
                    var fromVector = pair.b.pd.createAddressHandle(back)) {
                for (AddressHandle way : new AddressHandle[] {fromCompletion, fromVector}) {
                    pair.a.qp.post(pair.a.receive(1024, 2048));
                    pair.b.qp.post(pair.b.send(GRH, 5).to(way, asker, RcPair.QKEY));
                    pair.a.awaitSuccess();
                    pair.b.awaitSuccess();
                }
            }
            // A completion of a send has no sender.
            var e = assertThrows(
                    IllegalStateException.class, () -> pair.b.pd.createAddressHandle(1, pair.b.done, 0, header));
            assertTrue(e.getMessage().contains("SEND"), e.getMessage());
        }
    }

    @Tag("connectx")
    @Test
    void shouldSendToSeveralDestinationsInOneChain() {
        try (var pair = RcPair.datagrams()) {
            var second = pair.b.anotherQueuePair(QueuePairType.UD);
            second.bringUp(1, 77);
            AddressHandle way = pair.a.wayTo(pair.b);
            pair.b.qp.post(pair.b.receive(0, 2048));
            second.post(pair.b.receive(4096, 2048));
            var chain = datagram(pair.a, way, pair.b.qp).next(pair.a.send(0, 7).to(way, second.qpNum(), 77));
            assertNull(pair.a.qp.tryPostChain(chain));
            long bytes = 0;
            for (int seen = 0; seen < 2; ) {
                int n = pair.b.await();
                for (int i = 0; i < n; i++, seen++) {
                    bytes += pair.b.done.byteLength(i);
                }
            }
            assertEquals(2 * GRH + 12, bytes);
        }
    }

    @Tag("connectx")
    @Test
    void shouldDropDatagramWithAnotherKey() {
        try (var pair = RcPair.datagrams()) {
            AddressHandle way = pair.a.wayTo(pair.b);
            pair.b.qp.post(pair.b.receive(0, 2048));
            pair.a.qp.post(pair.a.send(0, 5).to(way, pair.b.qp.qpNum(), RcPair.QKEY + 1));
            pair.a.awaitSuccess(); // it was sent: nobody tells the sender
            pair.a.qp.post(pair.a.send(0, 9).to(way, pair.b.qp.qpNum(), RcPair.QKEY));
            pair.b.awaitSuccess();
            assertEquals(GRH + 9, pair.b.done.byteLength(0));
        }
    }

    @Tag("connectx")
    @Test
    void shouldRefuseDatagramLongerThanAPacket() {
        try (var pair = RcPair.datagrams()) {
            int mtu = pair.a.device.port(1).activeMtu().bytes();
            AddressHandle way = pair.a.wayTo(pair.b);
            pair.b.qp.post(pair.b.receive(0, 8192));
            var tooLong = pair.a.send(0, mtu + 1).to(way, pair.b.qp.qpNum(), RcPair.QKEY);
            var e = assertThrows(IllegalArgumentException.class, () -> pair.a.qp.tryPost(tooLong));
            assertTrue(e.getMessage().contains("at most " + mtu), e.getMessage());
            assertTrue(pair.a.qp.tryPost(tooLong.length(mtu)));
            pair.b.awaitSuccess();
            assertEquals(GRH + mtu, pair.b.done.byteLength(0));
        }
    }

    @Tag("connectx")
    @Test
    void shouldRefuseRequestOfAnotherForm() {
        try (var pair = RcPair.datagrams();
                var rc = RcPair.connected()) {
            var noDestination = pair.a.send(0, 5);
            var e = assertThrows(IllegalArgumentException.class, () -> pair.a.qp.tryPost(noDestination));
            assertTrue(e.getMessage().contains("to(addressHandle, qpNum, qkey)"), e.getMessage());
            // remote() is where the address handle was: no driver may follow it.
            var overwritten = datagram(pair.a, pair.a.wayTo(pair.b), pair.b.qp).remote(0x1234, 5);
            assertThrows(IllegalArgumentException.class, () -> pair.a.qp.tryPost(overwritten));
            assertThrows(IllegalArgumentException.class, () -> pair.a.qp.tryPostChain(overwritten));
            var write = pair.a.send(0, 5).opcode(SendOpcode.RDMA_WRITE).remote(0x1234, 5);
            assertThrows(IllegalArgumentException.class, () -> pair.a.qp.tryPost(write));
            var elsewhere = datagram(rc.a, pair.a.wayTo(pair.b), pair.b.qp);
            assertThrows(IllegalArgumentException.class, () -> rc.a.qp.tryPost(elsewhere));
        }
    }

    @Tag("connectx")
    @Test
    void shouldRefuseAddressHandleThatIsClosedOrOfAnotherDomainOrThread() throws InterruptedException {
        try (var pair = RcPair.datagrams();
                var other = pair.a.device.allocateProtectionDomain()) {
            var vector = AddressVector.global(pair.a.gid, pair.b.gid.gid());
            AddressHandle way = pair.a.pd.createAddressHandle(vector);
            assertEquals(pair.a.pd, way.protectionDomain());
            var request = datagram(pair.a, way, pair.b.qp);
            assertTrue(pair.a.qp.tryPost(request));
            pair.a.awaitSuccess();

            AtomicReference<Throwable> failure = new AtomicReference<>();
            var thread = new Thread(way::close);
            thread.setUncaughtExceptionHandler((t, e) -> failure.set(e));
            thread.start();
            thread.join();
            assertEquals(WrongThreadException.class, failure.get().getClass());
            assertThrows(IllegalStateException.class, () -> pair.a.pd.close());

            way.close();
            way.close();
            var e = assertThrows(IllegalStateException.class, () -> pair.a.qp.tryPost(request));
            assertTrue(
                    e.getMessage().contains("AddressHandle") && e.getMessage().contains("closed"), e.getMessage());
            try (var foreign = other.createAddressHandle(vector)) {
                assertThrows(
                        IllegalArgumentException.class,
                        () -> pair.a.qp.tryPost(request.to(foreign, pair.b.qp.qpNum(), RcPair.QKEY)));
            }
            assertThrows(IllegalArgumentException.class, () -> request.to(way, 1 << 24, 0));
        }
    }

    @Tag("connectx")
    @Test
    void shouldHandAddressHandleOver() throws InterruptedException {
        try (var pair = RcPair.datagrams()) {
            AddressHandle way = pair.a.wayTo(pair.b);
            var request = datagram(pair.a, way, pair.b.qp);
            var thread = new Thread(() -> pair.a.qp.post(request));
            pair.a.qp.handOver(thread);
            way.handOver(thread);
            request.handOver(thread);
            assertThrows(WrongThreadException.class, () -> pair.a.qp.tryPost(request));
            pair.b.qp.post(pair.b.receive(0, 2048));
            thread.start();
            thread.join();
            pair.b.awaitSuccess();
        }
    }

    @Tag("connectx")
    @Test
    void shouldExplainAddressHandleThatCannotBeMade() {
        try (var pair = RcPair.datagrams()) {
            var noSuchIndex = new GidEntry(1, 200, pair.a.gid.gid(), GidType.ROCE_V2, 0);
            var vector = AddressVector.global(noSuchIndex, pair.b.gid.gid());
            var e = assertThrows(VerbsException.class, () -> pair.a.pd.createAddressHandle(vector));
            assertEquals("ibv_create_ah", e.call());
            assertTrue(e.getMessage().contains("GID index"), e.getMessage());
        }
    }

    @Tag("connectx")
    @Test
    void shouldRefuseAWayByLidOnEthernet() {
        try (var pair = RcPair.datagrams()) {
            var byLid = AddressVector.local(1, 0);
            if (pair.a.device.port(1).linkLayer() == LinkLayer.ETHERNET) {
                var e = assertThrows(VerbsException.class, () -> pair.a.pd.createAddressHandle(byLid));
                assertTrue(e.getMessage().contains("RoCE needs one"), e.getMessage());
            } else {
                pair.a.pd.createAddressHandle(byLid).close();
            }
        }
    }

    @Tag("connectx")
    @Test
    void shouldRefuseToBringUpWhatIsNotFreshOrNotUd() {
        try (var pair = RcPair.datagrams();
                var rc = RcPair.unconnected(config -> {})) {
            assertThrows(IllegalStateException.class, () -> pair.a.qp.bringUp(1, 1));
            assertThrows(IllegalStateException.class, () -> rc.a.qp.bringUp(1, 1));
            var peer = pair.b.qp.address(pair.b.gid);
            assertThrows(IllegalStateException.class, () -> pair.a.qp.connect(pair.a.gid, peer));
            assertEquals(RcPair.QKEY, pair.a.qp.query().qkey());
        }
    }

    @Test
    void shouldReceiveMulticastDatagramOnTwoQueuePairs() throws Exception {
        InetAddress address = InetAddress.getByName("239.17.4.2");
        Gid group = Gid.of(address);
        try (var pair = RcPair.datagrams();
                var membership = new MulticastSocket(null)) {
            // The network device must have joined, or the kernel drops the packet before the RDMA device sees it.
            membership.joinGroup(new InetSocketAddress(address, 0), interfaceOf(pair.b.gid));
            var second = pair.b.anotherQueuePair(QueuePairType.UD);
            second.bringUp(1, RcPair.QKEY);
            pair.b.qp.attachMulticast(group, 0);
            second.attachMulticast(group, 0);
            pair.b.qp.post(pair.b.receive(0, 2048));
            second.post(pair.b.receive(4096, 2048));
            try (var way = pair.a.pd.createAddressHandle(AddressVector.global(pair.a.gid, group))) {
                pair.a.qp.post(pair.a.send(0, 5).to(way, QueuePair.MULTICAST, RcPair.QKEY));
                int both = 0;
                for (int seen = 0; seen < 2; ) {
                    int n = pair.b.await();
                    for (int i = 0; i < n; i++, seen++) {
                        assertTrue(pair.b.done.isSuccess(i), pair.b.done.toString());
                        both += pair.b.done.qpNum(i);
                        assertEquals(GRH + 5, pair.b.done.byteLength(i));
                    }
                }
                assertEquals(pair.b.qp.qpNum() + second.qpNum(), both);
                assertEquals(group, GlobalRouteHeader.of(pair.b.memory(), 0).dgid());
                pair.a.awaitSuccess();
            }
            second.detachMulticast(group, 0);
            pair.b.qp.detachMulticast(group, 0);
            var e = assertThrows(VerbsException.class, () -> second.detachMulticast(group, 0));
            assertEquals("ibv_detach_mcast", e.call());
        }
    }

    private static NetworkInterface interfaceOf(GidEntry gid) throws SocketException {
        return NetworkInterface.getByInetAddress(gid.gid().toInetAddress());
    }

    @Tag("connectx")
    @Test
    void shouldRefuseMulticastGroupThatIsNone() {
        try (var pair = RcPair.datagrams();
                var rc = RcPair.unconnected(config -> {})) {
            assertThrows(IllegalArgumentException.class, () -> pair.a.qp.attachMulticast(pair.b.gid.gid(), 0));
            Gid group = Gid.of(InetAddress.getLoopbackAddress());
            assertThrows(IllegalArgumentException.class, () -> pair.a.qp.detachMulticast(group, 0));
            Gid real = Gid.of(new InetSocketAddress("239.1.1.1", 1).getAddress());
            assertThrows(IllegalArgumentException.class, () -> pair.a.qp.attachMulticast(real, -1));
            assertThrows(IllegalStateException.class, () -> rc.a.qp.attachMulticast(real, 0));
        }
    }
}
