// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.UcxException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Active messages from one worker to another: lengths, headers, rendezvous, answers, and kept messages. */
@Tag("ucx")
class UcpActiveMessageTest {

    private static final int ID = 7;
    private static final int ANSWER = 0xffff;
    private static final MemorySegment NONE = MemorySegment.NULL;

    private final List<byte[]> received = new ArrayList<>();
    private final List<UcpKeptMessage> kept = new ArrayList<>();

    static UcpPair pair(String tls) {
        return new UcpPair(
                config -> config.set("TLS", tls).features(EnumSet.of(UcpFeature.AM, UcpFeature.TAG)), config -> {});
    }

    private static MemorySegment filled(UcpPair pair, long size, int seed) {
        MemorySegment segment = pair.arena.allocate(size);
        UcpPair.fill(segment, seed);
        return segment;
    }

    private static void finish(UcpPair pair, UcpWorker worker, long request, UcsStatus expected) {
        pair.await(worker, request);
        assertEquals(expected, worker.requests().status(request));
        worker.requests().release(request);
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldDeliverHeaderAndDataOfEveryLength(String tls) {
        try (var pair = pair(tls)) {
            int maxHeader = (int) pair.sender.activeMessages().maxHeaderBytes();
            assertTrue(maxHeader >= 64, "header of " + maxHeader);
            int[] flags = {0, UcpActiveMessages.EAGER, UcpActiveMessages.RENDEZVOUS, UcpActiveMessages.REPLY};
            for (long size : new long[] {0, 1, 8, 100, 2_000, 10_000, 100_000, 1 << 20, 16 << 20}) {
                MemorySegment data = filled(pair, size, 3);
                for (int headerSize : new int[] {0, 1, 8, maxHeader}) {
                    MemorySegment header = filled(pair, headerSize, 5);
                    for (int flag : size == 16 << 20 ? new int[] {0} : flags) {
                        deliver(pair, header, data, flag);
                    }
                }
            }
        }
    }

    private static void deliver(UcpPair pair, MemorySegment header, MemorySegment data, int flags) {
        MemorySegment to = pair.arena.allocate(data.byteSize());
        long[] receive = {-1};
        pair.receiver.activeMessages().setHandler(ID, message -> {
            assertEquals(ID, message.id());
            assertEquals(data.byteSize(), message.length());
            assertArrayEquals(
                    header.toArray(ValueLayout.JAVA_BYTE), message.header().toArray());
            assertEquals((flags & UcpActiveMessages.REPLY) != 0, message.hasReply());
            if (flags == UcpActiveMessages.EAGER) {
                assertFalse(message.isRendezvous());
            }
            if (flags == UcpActiveMessages.RENDEZVOUS) {
                assertTrue(message.isRendezvous());
            }
            receive[0] = message.receive(to);
        });
        long send = pair.endpoint.amSend(ID, header, data, flags);
        UcxTransports.until(() -> receive[0] >= 0, pair::progress);
        finish(pair, pair.receiver, receive[0], UcsStatus.OK);
        finish(pair, pair.sender, send, UcsStatus.OK);
        assertEquals(-1, to.mismatch(data), () -> data.byteSize() + " bytes, flags " + flags);
        assertEquals(
                0,
                pair.sender.requests().outstanding() + pair.receiver.requests().outstanding());
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldAnswerInsideTheHandler(String tls) {
        try (var pair = pair(tls)) {
            MemorySegment request = filled(pair, 200, 9);
            MemorySegment answer = filled(pair, 50_000, 11);
            List<Long> replies = new ArrayList<>();
            pair.receiver.activeMessages().setHandler(ID, message -> {
                assertNull(message.endpoint(), "the program has no endpoint to the sender");
                replies.add(message.reply(ANSWER, request, answer, 0));
                replies.add(message.reply(ANSWER, request));
            });
            pair.sender.activeMessages().setPersistentHandler(ANSWER, message -> {
                assertFalse(message.hasReply());
                assertThrows(IllegalStateException.class, () -> message.reply(ID, request));
                kept.add(message.keep());
            });
            long send = pair.endpoint.amSend(ID, NONE, request, UcpActiveMessages.REPLY);
            UcxTransports.until(() -> kept.size() == 2, pair::progress);
            MemorySegment to = pair.arena.allocate(answer.byteSize());
            long receive = kept.get(0).receive(to, 0);
            finish(pair, pair.sender, receive, UcsStatus.OK);
            assertEquals(-1, to.mismatch(answer));
            assertArrayEquals(
                    request.toArray(ValueLayout.JAVA_BYTE), kept.get(1).data().toArray());
            kept.get(1).release();
            finish(pair, pair.sender, send, UcsStatus.OK);
            replies.forEach(reply -> finish(pair, pair.receiver, reply, UcsStatus.OK));
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldKnowTheProgramsEndpointToTheSender(String tls) {
        try (var pair = pair(tls);
                var back = pair.receiver.createEndpoint(pair.sender.address())) {
            List<UcpEndpoint> seen = new ArrayList<>();
            pair.receiver.activeMessages().setHandler(ID, message -> {
                assertTrue(message.hasReply());
                seen.add(message.endpoint());
            });
            long send = pair.endpoint.amSend(ID, NONE, filled(pair, 8, 1), UcpActiveMessages.REPLY);
            UcxTransports.until(() -> !seen.isEmpty(), pair::progress);
            finish(pair, pair.sender, send, UcsStatus.OK);
            assertSame(back, seen.getFirst());
            pair.await(pair.receiver, back.flush());
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldKeepMessagesAndReleaseThemInAnyOrder(String tls) {
        try (var pair = pair(tls)) {
            var holders = new UcpKeptMessage[] {new UcpKeptMessage(), new UcpKeptMessage(), new UcpKeptMessage()};
            int[] count = {0};
            pair.receiver.activeMessages().setPersistentHandler(ID, message -> {
                assertTrue(message.isKeepable());
                message.keep(holders[count[0]++]);
                assertThrows(IllegalStateException.class, message::keep);
            });
            for (int round = 0; round < 3; round++) {
                count[0] = 0;
                long[] sends = new long[3];
                for (int i = 0; i < 3; i++) {
                    sends[i] = pair.endpoint.amSend(ID, NONE, filled(pair, 300 + i, i), UcpActiveMessages.EAGER);
                }
                UcxTransports.until(() -> count[0] == 3, pair::progress);
                assertEquals(3, pair.receiver.activeMessages().kept());
                for (int i : new int[] {1, 0, 2}) {
                    finish(pair, pair.sender, sends[i], UcsStatus.OK);
                    MemorySegment view = holders[i].segment();
                    assertEquals(-1, view.mismatch(filled(pair, 300 + i, i)));
                    assertEquals(
                            view.get(ValueLayout.JAVA_BYTE, 9),
                            holders[i].data().getByte(9));
                    UcpMessageBytes data = holders[i].data();
                    holders[i].release();
                    assertFalse(view.scope().isAlive());
                    assertThrows(IllegalStateException.class, () -> data.getByte(9));
                    assertThrows(IllegalStateException.class, holders[i]::release);
                }
                assertEquals(0, pair.receiver.activeMessages().kept());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldForwardWhatItKeepsWithoutCopy(String tls) {
        try (var pair = pair(tls);
                var back = pair.receiver.createEndpoint(pair.sender.address())) {
            MemorySegment large = filled(pair, 3_000_000, 1);
            pair.receiver.activeMessages().setPersistentHandler(ID, message -> kept.add(message.keep()));
            long send = pair.endpoint.amSend(ID, NONE, large, UcpActiveMessages.EAGER);
            UcxTransports.until(() -> !kept.isEmpty(), pair::progress);
            MemorySegment to = pair.arena.allocate(large.byteSize());
            long receive = pair.sender.tagReceive(to, 1);
            long forward = back.tagSend(kept.getFirst().segment(), 1);
            if (!pair.receiver.requests().isDone(forward)) {
                assertThrows(IllegalStateException.class, kept.getFirst()::release);
            }
            finish(pair, pair.sender, receive, UcsStatus.OK);
            finish(pair, pair.receiver, forward, UcsStatus.OK);
            kept.getFirst().release();
            assertEquals(-1, to.mismatch(large));
            finish(pair, pair.sender, send, UcsStatus.OK);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldFetchRendezvousLaterOrDropOrRefuseIt(String tls) {
        try (var pair = pair(tls)) {
            MemorySegment data = filled(pair, 200_000, 2);
            int[] next = {0};
            pair.receiver.activeMessages().setHandler(ID, message -> {
                assertTrue(message.isRendezvous());
                assertThrows(IllegalStateException.class, message::data);
                switch (next[0]++) {
                    case 0 -> kept.add(message.keep());
                    case 1 -> kept.add(message.keep());
                    case 2 -> message.refuse(UcsStatus.NO_RESOURCE);
                    case 3 -> throw new UnsupportedOperationException("of the handler");
                    default -> {}
                }
            });
            long[] sends = new long[5];
            for (int i = 0; i < 5; i++) {
                sends[i] = pair.endpoint.amSend(ID, NONE, data, UcpActiveMessages.RENDEZVOUS);
            }
            var thrown = assertThrows(
                    UnsupportedOperationException.class, () -> UcxTransports.until(() -> next[0] == 5, pair::progress));
            assertEquals("of the handler", thrown.getMessage());
            UcxTransports.until(() -> next[0] == 5, pair::progress);
            finish(pair, pair.sender, sends[2], UcsStatus.NO_RESOURCE);
            finish(pair, pair.sender, sends[3], UcsStatus.CANCELED);
            finish(pair, pair.sender, sends[4], UcsStatus.OK);
            assertFalse(pair.sender.requests().isDone(sends[0]));
            MemorySegment tooShort = pair.arena.allocate(data.byteSize() - 1);
            assertThrows(IndexOutOfBoundsException.class, () -> kept.get(0).receive(tooShort, 0));
            MemorySegment to = pair.arena.allocate(data.byteSize() + 16);
            long receive = kept.get(0).receive(to, 16);
            finish(pair, pair.receiver, receive, UcsStatus.OK);
            finish(pair, pair.sender, sends[0], UcsStatus.OK);
            assertEquals(-1, to.asSlice(16).mismatch(data));
            kept.get(1).release();
            finish(pair, pair.sender, sends[1], UcsStatus.OK);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldThrowWhatHandlersThrow(String tls) {
        try (var pair = pair(tls)) {
            pair.receiver.activeMessages().setHandler(ID, message -> {
                received.add(message.data().toArray());
                throw new UnsupportedOperationException("number " + received.size());
            });
            for (int i = 0; i < 2; i++) {
                long send = pair.endpoint.amSend(ID, filled(pair, 8, i));
                int before = received.size();
                var e = assertThrows(
                        UnsupportedOperationException.class,
                        () -> UcxTransports.until(() -> received.size() > before, pair::progress));
                assertEquals("number " + (i + 1), e.getMessage());
                finish(pair, pair.sender, send, UcsStatus.OK);
            }
            assertEquals(0, pair.receiver.progress() & Integer.MIN_VALUE, "the worker is of use after that");
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldDropWhatNobodyHandles(String tls) {
        try (var pair = pair(tls)) {
            MemorySegment data = filled(pair, 64, 1);
            UcpActiveMessages active = pair.receiver.activeMessages();
            active.removeHandler(3);
            for (int id : new int[] {0, 1, ID, 4_000, UcpActiveMessages.MAX_ID}) {
                finish(pair, pair.sender, pair.endpoint.amSend(id, data), UcsStatus.OK);
                long rendezvous = pair.endpoint.amSend(id, NONE, data, UcpActiveMessages.RENDEZVOUS);
                finish(pair, pair.sender, rendezvous, UcsStatus.INVALID_PARAM);
            }
            active.setHandler(ID, message -> received.add(new byte[] {1}));
            active.setHandler(ID, message -> received.add(new byte[] {2}));
            long first = pair.endpoint.amSend(ID, data);
            UcxTransports.until(() -> !received.isEmpty(), pair::progress);
            assertEquals(2, received.getFirst()[0], "the handler was not replaced");
            active.removeHandler(ID);
            long gone = pair.endpoint.amSend(ID, data);
            long last = pair.endpoint.amSend(ID, NONE, data, UcpActiveMessages.RENDEZVOUS);
            finish(pair, pair.sender, last, UcsStatus.INVALID_PARAM);
            assertEquals(1, received.size());
            pair.sender.requests().release(first);
            pair.sender.requests().release(gone);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldSendListsOfBuffers(String tls) {
        try (var pair = pair(tls)) {
            for (int size : new int[] {10, 3_000, 300_000}) {
                MemorySegment all = filled(pair, size, 4);
                var list = UcpIov.allocate(pair.sender, 3);
                list.add(all, 0, size / 3).add(all, size / 3, 1).add(all, size / 3 + 1, size - size / 3 - 1);
                for (int flags : new int[] {0, UcpActiveMessages.EAGER, UcpActiveMessages.RENDEZVOUS}) {
                    MemorySegment to = pair.arena.allocate(size);
                    MemorySegment header = filled(pair, 20, 6);
                    long[] receive = {-1};
                    pair.receiver.activeMessages().setHandler(ID, message -> {
                        assertArrayEquals(
                                header.toArray(ValueLayout.JAVA_BYTE),
                                message.header().toArray());
                        receive[0] = message.receive(to);
                    });
                    long send = pair.endpoint.amSend(ID, header, list, flags);
                    UcxTransports.until(() -> receive[0] >= 0, pair::progress);
                    finish(pair, pair.receiver, receive[0], UcsStatus.OK);
                    finish(pair, pair.sender, send, UcsStatus.OK);
                    assertEquals(-1, to.mismatch(all), size + " bytes, flags " + flags);
                }
            }
            for (int flags : new int[] {UcpActiveMessages.EAGER, UcpActiveMessages.RENDEZVOUS}) {
                sendPacked(pair, flags);
            }
            var foreign = UcpIov.allocate(pair.receiver, 1);
            assertThrows(IllegalArgumentException.class, () -> pair.endpoint.amSend(ID, NONE, foreign, 0));
        }
    }

    private static void sendPacked(UcpPair pair, int flags) {
        MemorySegment all = filled(pair, 100_000, 8);
        MemorySegment to = pair.arena.allocate(all.byteSize());
        var packed = UcpPackedData.packing(
                pair.sender,
                all.byteSize(),
                (offset, part) -> MemorySegment.copy(all, offset, part, 0, part.byteSize()));
        long[] receive = {-1};
        pair.receiver.activeMessages().setHandler(ID, message -> receive[0] = message.receive(to));
        long send = pair.endpoint.amSend(ID, NONE, packed, flags);
        UcxTransports.until(() -> receive[0] >= 0, pair::progress);
        finish(pair, pair.receiver, receive[0], UcsStatus.OK);
        finish(pair, pair.sender, send, UcsStatus.OK);
        assertEquals(-1, to.mismatch(all), "flags " + flags);
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldCompleteFutures(String tls) {
        try (var pair = pair(tls)) {
            MemorySegment data = filled(pair, 100_000, 1);
            MemorySegment to = pair.arena.allocate(data.byteSize());
            var received = new ArrayList<CompletableFuture<Void>>();
            pair.receiver.activeMessages().setHandler(ID, message -> received.add(message.receiveAsync(to)));
            var sent = pair.endpoint.amSendAsync(ID, NONE, data, UcpActiveMessages.RENDEZVOUS);
            UcxTransports.until(
                    () -> !received.isEmpty() && received.getFirst().isDone() && sent.isDone(), pair::progress);
            sent.join();
            received.getFirst().join();
            assertEquals(-1, to.mismatch(data));
            pair.receiver.activeMessages().setHandler(ID, message -> message.refuse(UcsStatus.REJECTED));
            var refused = pair.endpoint.amSendAsync(ID, NONE, data, UcpActiveMessages.RENDEZVOUS);
            UcxTransports.until(refused::isDone, pair::progress);
            var e = (UcxException) refused.exceptionNow();
            assertEquals("ucp_am_send_nbx", e.call());
            assertNotEquals(0, e.status());
        }
    }
}
