// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.RdmaUnavailableException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A program misuses active messages, and closes objects at any moment: none of that reaches C. */
@Tag("ucx")
@Tag("host")
class UcpActiveMessageMisuseTest {

    private static final int ID = 1;
    private static final MemorySegment NONE = MemorySegment.NULL;

    private final List<UcpKeptMessage> kept = new ArrayList<>();
    private UcpActiveMessage stale;

    private static UcpPair pair(String tls) {
        return UcpActiveMessageTest.pair(tls);
    }

    private void refused(Class<? extends Throwable> type, Runnable misuse) {
        assertThrows(type, misuse::run);
    }

    @Test
    void shouldRefuseWrongArguments() {
        try (var pair = pair(UcxTransports.any())) {
            UcpEndpoint endpoint = pair.endpoint;
            MemorySegment data = pair.arena.allocate(8);
            Class<IllegalArgumentException> argument = IllegalArgumentException.class;
            refused(argument, () -> endpoint.amSend(-1, data));
            refused(argument, () -> endpoint.amSend(UcpActiveMessages.MAX_ID + 1, data));
            refused(argument, () -> endpoint.amSend(ID, NONE, data, 1 << 20));
            int both = UcpActiveMessages.EAGER | UcpActiveMessages.RENDEZVOUS;
            refused(argument, () -> endpoint.amSend(ID, NONE, data, both));
            refused(argument, () -> endpoint.amSend(ID, MemorySegment.ofArray(new byte[8])));
            refused(argument, () -> endpoint.amSend(ID, MemorySegment.ofArray(new byte[8]), data, 0));
            long tooLong = pair.sender.activeMessages().maxHeaderBytes() + 1;
            refused(argument, () -> endpoint.amSend(ID, pair.arena.allocate(tooLong), data, 0));
            refused(IndexOutOfBoundsException.class, () -> endpoint.amSend(ID, data, 4, 5, NONE, 0, 0, 0));
            refused(IndexOutOfBoundsException.class, () -> endpoint.amSend(ID, NONE, 0, 0, data, 4, 5, 0));
            refused(IndexOutOfBoundsException.class, () -> endpoint.amSend(ID, NONE, 0, 0, data, 4, -1, 0));
            Arena closed = Arena.ofShared();
            MemorySegment gone = closed.allocate(8);
            closed.close();
            refused(IllegalStateException.class, () -> endpoint.amSend(ID, gone));
            refused(IllegalStateException.class, () -> endpoint.amSend(ID, gone, data, 0));
            UcpActiveMessages active = pair.receiver.activeMessages();
            refused(argument, () -> active.setHandler(-1, message -> {}));
            refused(argument, () -> active.setHandler(1 << 16, message -> {}));
            refused(argument, () -> active.removeHandler(1 << 16));
            refused(NullPointerException.class, () -> active.setHandler(ID, null));
            assertEquals(0, pair.sender.requests().outstanding());
        }
    }

    @Test
    void shouldCopyHeaderOrNameTheVersionThatCan() {
        try (var pair = pair(UcxTransports.any())) {
            MemorySegment header = pair.arena.allocate(8);
            if (UcxVersion.loaded().minor() < 14) {
                var e = assertThrows(
                        RdmaUnavailableException.class,
                        () -> pair.endpoint.amSend(ID, header, NONE, UcpActiveMessages.COPY_HEADER));
                assertTrue(e.getMessage().contains("1.14"), e.getMessage());
            } else {
                long send = pair.endpoint.amSend(ID, header, NONE, UcpActiveMessages.COPY_HEADER);
                pair.await(pair.sender, send);
                pair.sender.requests().release(send);
            }
        }
    }

    @Test
    void shouldRefuseWithoutTheFeature() {
        try (var pair = new UcpPair(UcxTransports.any())) {
            var e = assertThrows(IllegalStateException.class, pair.sender::activeMessages);
            assertTrue(e.getMessage().contains("UcpFeature.AM"), e.getMessage());
            refused(IllegalStateException.class, () -> pair.endpoint.amSend(ID, pair.arena.allocate(8)));
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldRefuseMessageAfterItsHandler(String tls) {
        try (var pair = pair(tls)) {
            pair.receiver.activeMessages().setHandler(ID, message -> stale = message);
            long send =
                    pair.endpoint.amSend(ID, pair.arena.allocate(8), pair.arena.allocate(8), UcpActiveMessages.REPLY);
            UcxTransports.until(() -> stale != null, pair::progress);
            Class<IllegalStateException> state = IllegalStateException.class;
            refused(state, () -> stale.id());
            refused(state, () -> stale.data());
            refused(state, () -> stale.length());
            refused(state, () -> stale.endpoint());
            refused(state, () -> stale.keep());
            refused(state, () -> stale.receive(pair.arena.allocate(8)));
            refused(state, () -> stale.refuse(UcsStatus.NO_RESOURCE));
            refused(state, () -> stale.reply(ID, pair.arena.allocate(8)));
            refused(state, () -> stale.header().length());
            refused(state, () -> stale.header().getLong(0));
            refused(state, () -> stale.header().toArray());
            assertEquals("UcpActiveMessage(over)", stale.toString());
            pair.await(pair.sender, send);
            pair.sender.requests().release(send);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldRefuseWhatAHandlerMustNotDo(String tls) {
        try (var pair = pair(tls);
                var stranger = pair.context.createWorker()) {
            List<Throwable> failures = new ArrayList<>();
            Class<IllegalStateException> state = IllegalStateException.class;
            boolean[] called = {false};
            pair.receiver.activeMessages().setHandler(ID, message -> {
                called[0] = true;
                refused(state, pair.receiver::progress);
                refused(state, pair.receiver::close);
                refused(state, pair.receiver::fence);
                refused(state, () -> pair.receiver.handOver(new Thread(() -> {})));
                refused(IndexOutOfBoundsException.class, () -> message.data().getLong(1));
                refused(IndexOutOfBoundsException.class, () -> message.data().getByte(-1));
                refused(IndexOutOfBoundsException.class, () -> message.data().getInt(Long.MAX_VALUE));
                refused(IndexOutOfBoundsException.class, () -> message.header().getByte(0));
                refused(IndexOutOfBoundsException.class, () -> message.data().copyTo(pair.arena.allocate(7)));
                refused(IllegalArgumentException.class, () -> message.receive(MemorySegment.ofArray(new byte[8])));
                refused(IndexOutOfBoundsException.class, () -> message.receive(pair.arena.allocate(8), 1));
                refused(state, () -> message.refuse(UcsStatus.NO_RESOURCE));
                Thread other = Thread.ofPlatform().start(() -> {
                    try {
                        failures.add(assertThrows(
                                WrongThreadException.class, () -> message.data().getByte(0)));
                        failures.add(assertThrows(WrongThreadException.class, message::length));
                    } catch (AssertionError e) {
                        failures.clear();
                    }
                });
                join(other);
                stranger.progress(); // another worker may be progressed
            });
            long send = pair.endpoint.amSend(ID, pair.arena.allocate(8));
            UcxTransports.until(() -> called[0], pair::progress);
            assertEquals(2, failures.size());
            pair.await(pair.sender, send);
            pair.sender.requests().release(send);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldKeepOnceReleaseOnce(String tls) {
        try (var pair = pair(tls)) {
            var holder = new UcpKeptMessage();
            assertFalse(holder.isHolding());
            Class<IllegalStateException> state = IllegalStateException.class;
            refused(state, holder::release);
            refused(state, holder::data);
            holder.close();
            int[] count = {0};
            pair.receiver.activeMessages().setPersistentHandler(ID, message -> {
                count[0]++;
                message.keep(holder);
                refused(state, () -> message.keep(new UcpKeptMessage()));
                refused(state, () -> message.receive(pair.arena.allocate(8)));
                if (count[0] == 1) {
                    holder.release(); // before C knows that it was to be kept
                    assertEquals(8, message.data().length());
                    refused(state, holder::release);
                    message.keep(holder);
                }
            });
            long first = pair.endpoint.amSend(ID, pair.arena.allocate(8));
            UcxTransports.until(() -> count[0] == 1, pair::progress);
            assertTrue(holder.isHolding());
            pair.sender.requests().release(first);
            pair.receiver.activeMessages().setPersistentHandler(ID, message -> {
                count[0]++;
                refused(state, () -> message.keep(holder));
            });
            long second = pair.endpoint.amSend(ID, pair.arena.allocate(8));
            UcxTransports.until(() -> count[0] == 2, pair::progress);
            pair.sender.requests().release(second);
            holder.close();
            holder.close();
            refused(state, () -> holder.receive(pair.arena.allocate(8), 0));
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldCloseEndpointsInsideHandlers(String tls) {
        try (var pair = pair(tls)) {
            UcpEndpoint back = pair.receiver.createEndpoint(pair.sender.address());
            boolean[] called = {false};
            pair.receiver.activeMessages().setHandler(ID, message -> {
                called[0] = true;
                back.close();
                refused(IllegalStateException.class, () -> back.amSend(ID, NONE));
                if (message.endpoint() == null && message.hasReply()) {
                    // UCX decides whether it takes the two endpoints for one connection.
                    try {
                        pair.receiver.requests().release(message.reply(ID, NONE));
                    } catch (IllegalStateException e) {
                        assertTrue(e.getMessage().contains("closed"), e.getMessage());
                    }
                }
            });
            long send = pair.endpoint.amSend(ID, NONE, pair.arena.allocate(8), UcpActiveMessages.REPLY);
            UcxTransports.until(() -> called[0] && !back.isOpen(), pair::progress);
            pair.await(pair.sender, send);
            pair.sender.requests().release(send);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldCloseWorkerWithKeptMessages(String tls) {
        try (var pair = new UcpPair(
                config -> config.set("TLS", tls).features(EnumSet.of(UcpFeature.AM)),
                UcpPair.closingWithin(Duration.ofMillis(500)))) {
            UcpWorker receiver = pair.context.createWorker();
            UcpEndpoint to = pair.sender.createEndpoint(receiver.address());
            receiver.activeMessages().setPersistentHandler(ID, message -> kept.add(message.keep()));
            long eager = to.amSend(ID, NONE, pair.arena.allocate(100), UcpActiveMessages.EAGER);
            long rendezvous = to.amSend(ID, NONE, pair.arena.allocate(100_000), UcpActiveMessages.RENDEZVOUS);
            UcxTransports.until(() -> kept.size() == 2, () -> {
                pair.sender.progress();
                receiver.progress();
            });
            MemorySegment view = kept.getFirst().segment();
            UcpMessageBytes data = kept.getFirst().data();
            pair.sender.requests().release(eager);
            receiver.close();
            assertFalse(view.scope().isAlive());
            refused(IllegalStateException.class, () -> data.getByte(0));
            for (UcpKeptMessage each : kept) {
                assertFalse(each.isHolding());
                refused(IllegalStateException.class, each::release);
                refused(IllegalStateException.class, () -> each.receive(pair.arena.allocate(100_000), 0));
            }
            UcxTransports.until(() -> pair.sender.requests().isDone(rendezvous), pair.sender::progress);
            assertEquals(UcsStatus.OK, pair.sender.requests().status(rendezvous));
            to.close();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldCloseWorkerThatSendsWhatItKeeps(String tls) {
        try (var pair = new UcpPair(
                config -> config.set("TLS", tls)
                        .set("RNDV_THRESH", "64k") // UCX chooses by the transport, and copies where that is sooner
                        .features(EnumSet.of(UcpFeature.AM, UcpFeature.TAG)),
                UcpPair.closingWithin(Duration.ofMillis(100)))) {
            UcpWorker worker = pair.context.createWorker(UcpPair.closingWithin(Duration.ofMillis(100)));
            UcpEndpoint to = pair.sender.createEndpoint(worker.address());
            UcpEndpoint back = worker.createEndpoint(pair.sender.address());
            worker.activeMessages().setPersistentHandler(ID, message -> kept.add(message.keep()));
            long send = to.amSend(ID, NONE, pair.arena.allocate(1 << 20), UcpActiveMessages.EAGER);
            Runnable both = () -> {
                pair.sender.progress();
                worker.progress();
            };
            UcxTransports.until(() -> !kept.isEmpty() && pair.sender.requests().isDone(send), both);
            pair.sender.requests().release(send);
            UcpKeptMessage held = kept.getFirst();
            long forward = back.tagSend(held.segment(), 1); // a rendezvous that nobody receives
            assertFalse(worker.requests().isDone(forward));
            refused(IllegalStateException.class, held::release);
            UcxTransports.until(() -> worker.progress() == 0, pair.sender::progress);
            to.close();
            back.close();
            worker.close();
            assertFalse(held.isHolding());
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldCloseAllWithRendezvousUnderWay(String tls) {
        var pair = new UcpPair(
                config -> config.set("TLS", tls).features(EnumSet.of(UcpFeature.AM)),
                UcpPair.closingWithin(Duration.ofMillis(100)));
        long[] receive = {-1};
        MemorySegment to = Arena.ofAuto().allocate(8 << 20); // a guarded one stays open: the peer is writing to it
        pair.receiver.activeMessages().setHandler(ID, message -> receive[0] = message.receive(to));
        long ignored = pair.endpoint.amSend(ID, NONE, pair.arena.allocate(8 << 20), UcpActiveMessages.RENDEZVOUS);
        UcxTransports.until(() -> receive[0] >= 0, pair::progress);
        pair.closeAtOnce();
        assertThrows(IllegalStateException.class, () -> pair.receiver.requests().isDone(receive[0] | ignored));
    }

    @Test
    void shouldNestOnlySoDeepWhenSendingToItself() {
        try (var context = UcpContext.create(config -> config.set("TLS", "self").features(EnumSet.of(UcpFeature.AM)));
                var worker = context.createWorker();
                var arena = Arena.ofConfined();
                var endpoint = worker.createEndpoint(worker.address())) {
            MemorySegment data = arena.allocate(8);
            List<Long> requests = new ArrayList<>();
            int[] calls = {0};
            worker.activeMessages().setHandler(ID, message -> {
                calls[0]++;
                UcpActiveMessage outer = message;
                requests.add(message.reply(ID, NONE, data, UcpActiveMessages.REPLY));
                assertEquals(8, outer.data().length(), "the outer message is still there");
            });
            requests.add(endpoint.amSend(ID, NONE, data, UcpActiveMessages.REPLY));
            var e = assertThrows(IllegalStateException.class, () -> UcxTransports.until(() -> false, worker::progress));
            assertTrue(e.getMessage().contains("inside each other"), e.getMessage());
            assertTrue(calls[0] >= AmOperations.MAX_DEPTH, calls[0] + " calls");
            for (long request : requests) {
                UcxTransports.until(() -> worker.requests().isDone(request), worker::progress);
                worker.requests().release(request);
            }
            assertEquals(0, worker.requests().outstanding());
        }
    }
}
