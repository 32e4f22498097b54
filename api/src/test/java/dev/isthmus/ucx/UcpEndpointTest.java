// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.UcxException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.EnumSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("ucx")
class UcpEndpointTest {

    @Test
    void shouldRefuseUseAfterClose() {
        try (var pair = new UcpPair(UcxTransports.any())) {
            MemorySegment buffer = pair.arena.allocate(8);
            pair.endpoint.close();
            pair.endpoint.close();
            pair.endpoint.closeForcibly();
            var e = assertThrows(IllegalStateException.class, () -> pair.endpoint.tagSend(buffer, 1));
            assertTrue(e.getMessage().matches("UcpEndpoint\\(.*\\) is closed"), e.getMessage());
            assertThrows(IllegalStateException.class, () -> pair.endpoint.flush());
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldDeliverWhatWasSentBeforeClose(String tls) {
        try (var pair = new UcpPair(tls)) {
            MemorySegment from = pair.arena.allocate(1000);
            MemorySegment to = pair.arena.allocate(1000);
            pair.exchange(from, to, 1);
            pair.await(pair.sender, pair.endpoint.flush()); // connected: the rest needs this side only
            UcpPair.fill(from, 6);
            pair.endpoint.tagSend(from, 2);
            pair.endpoint.close();
            long receive = pair.receiver.tagReceive(to, 2);
            pair.await(pair.receiver, receive);
            assertEquals(-1, to.mismatch(from));
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldReachPeerAgainAfterClose(String tls) {
        try (var pair = new UcpPair(tls)) {
            MemorySegment from = pair.arena.allocate(8);
            MemorySegment to = pair.arena.allocate(8);
            pair.exchange(from, to, 1);
            pair.await(pair.sender, pair.endpoint.flush());
            pair.endpoint.close();
            try (var again = pair.sender.createEndpoint(pair.receiver.address())) {
                long receive = pair.receiver.tagReceive(to, 2);
                long send = again.tagSend(from, 2);
                pair.await(pair.receiver, receive);
                pair.await(pair.sender, send);
                assertEquals(UcsStatus.OK, pair.receiver.requests().status(receive));
                pair.await(pair.sender, again.flush());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#withPeerErrors")
    void shouldCancelSendsWhenClosedByForce(String tls) {
        try (var context = UcpContext.create(config -> config.set("TLS", tls));
                var sender = context.createWorker(UcpPair.closingWithin(Duration.ofMillis(100)));
                var receiver = context.createWorker(UcpPair.closingWithin(Duration.ofMillis(100)));
                var arena = Arena.ofConfined()) {
            UcpEndpoint endpoint =
                    sender.createEndpoint(receiver.address(), config -> config.errorHandling(UcpErrorHandling.PEER));
            Runnable progress = () -> {
                sender.progress();
                receiver.progress();
            };
            long receive = receiver.tagReceive(arena.allocate(8), 1);
            long first = endpoint.tagSend(arena.allocate(8), 1);
            UcxTransports.until(() -> receiver.requests().isDone(receive), progress);
            UcxTransports.until(() -> sender.requests().isDone(first), progress);
            long send = endpoint.tagSend(arena.allocate(4 << 20), 2); // rendezvous: nobody receives it
            assertFalse(sender.requests().isDone(send));
            endpoint.closeForcibly();
            UcxTransports.until(() -> sender.requests().isDone(send), progress);
            assertEquals(UcsStatus.CANCELED, sender.requests().status(send));
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldCountTheBytesThatAreUnderWay(String tls) {
        try (var pair = new UcpPair(tls)) {
            MemorySegment buffer = pair.arena.allocate(1000);
            var payload = UcpBuffer.of(pair.sender, buffer).range(100, 50);
            payload.userData(7);
            assertEquals(0, pair.endpoint.outstandingBytes());
            long first = pair.endpoint.tagSendSync(buffer, 0, 300, 1); // ends when it has met its receive
            assertTrue(pair.endpoint.tagSendSync(payload, 2) < 0);
            CompletableFuture<Void> third =
                    pair.sender.requests().whenDone(pair.endpoint.tagSendSync(buffer, 200, 20, 3));
            assertEquals(370, pair.endpoint.outstandingBytes());
            pair.receiver.tagReceive(pair.arena.allocate(300), 1);
            pair.await(pair.sender, first);
            assertEquals(70, pair.endpoint.outstandingBytes());
            pair.sender.requests().release(first);
            pair.receiver.tagReceive(pair.arena.allocate(50), 2);
            var done = UcpCompletions.allocate(4);
            UcxTransports.until(() -> pair.sender.poll(done) == 1, pair::progress);
            assertEquals(20, pair.endpoint.outstandingBytes());
            pair.receiver.tagReceive(pair.arena.allocate(20), 3);
            UcxTransports.until(third::isDone, pair::progress);
            assertEquals(0, pair.endpoint.outstandingBytes());
            pair.endpoint.close();
            assertEquals(0, pair.endpoint.outstandingBytes());
        }
    }

    @Test
    void shouldCountHeadersAndFailedSends() {
        try (var pair = new UcpPair(
                config -> config.set("TLS", UcxTransports.any()).features(EnumSet.of(UcpFeature.AM)),
                UcpPair.closingWithin(Duration.ofMillis(200)))) {
            MemorySegment buffer = pair.arena.allocate(1000);
            var kept = new UcpKeptMessage();
            pair.receiver.activeMessages().setHandler(1, message -> message.keep(kept));
            long send = pair.endpoint.amSend(1, buffer.asSlice(0, 8), buffer, UcpActiveMessages.RENDEZVOUS);
            assertEquals(1008, pair.endpoint.outstandingBytes());
            UcxTransports.until(kept::isHolding, pair::progress);
            assertEquals(1008, pair.endpoint.outstandingBytes());
            kept.release(); // its send succeeds
            pair.await(pair.sender, send);
            assertEquals(0, pair.endpoint.outstandingBytes());
            pair.sender.requests().release(send);
        }
    }

    @Test
    void shouldKeepWhatIsAttached() {
        try (var pair = new UcpPair(UcxTransports.any())) {
            assertNull(pair.endpoint.attachment());
            pair.endpoint.attach("a session");
            assertEquals("a session", pair.endpoint.attachment());
            pair.endpoint.close();
            assertEquals("a session", pair.endpoint.attachment());
            pair.endpoint.attach(null);
            assertNull(pair.endpoint.attachment());
        }
    }

    @Test
    void shouldExplainThatNothingReachesPeer() {
        try (var here = UcpContext.create(config -> config.set("TLS", "self"));
                var there = UcpContext.create(config ->
                        config.set("TLS", "tcp").set("NET_DEVICES", "all")); // the testbed names an RDMA device
                var worker = here.createWorker();
                var peer = there.createWorker()) {
            UcpAddress address = peer.address();
            var e = assertThrows(UcxException.class, () -> worker.createEndpoint(address));
            assertEquals("ucp_ep_create", e.call());
            assertEquals(UcsStatus.UNREACHABLE, UcsStatus.of(e.status()));
            assertTrue(e.getMessage().contains("check TLS"), e.getMessage());
        }
    }

    @Test
    void shouldTakeAddressAsBytes() {
        try (var pair = new UcpPair(UcxTransports.any())) {
            UcpAddress address = pair.receiver.address();
            UcpAddress carried = UcpAddress.of(address.toByteArray());
            assertEquals(address, carried);
            assertEquals(address.hashCode(), carried.hashCode());
            assertFalse(address.equals(pair.sender.address()));
            assertThrows(IllegalArgumentException.class, () -> UcpAddress.ofRaw(new byte[8]));
            assertThrows(IllegalArgumentException.class, () -> UcpAddress.ofRaw(new byte[100_000]));
        }
    }
}
