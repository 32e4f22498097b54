// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.GuardedArena;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Memory that UCX has lent, and that other operations use, or that a call does not take. */
@Tag("ucx")
class UcpLentMemoryTest {

    private static final int ID = 1;
    private static final int SIZE = 4000;
    private static final long TAG = 5;
    private static final Duration NEVER = Duration.ofMinutes(10);

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldKeepStreamDataUntilAnotherEndpointHasSentIt(String tls) {
        try (var trio = new Trio(tls)) {
            var data = trio.streamData();
            long forward = trio.forward(trio.onward, data.segment());
            assertThrows(IllegalStateException.class, data::release);
            CompletableFuture<Void> closed = trio.back.closeAsync(NEVER);
            trio.overwrite();
            assertFalse(closed.isDone());
            assertTrue(data.isHolding());
            trio.receive();
            UcxTransports.until(closed::isDone, trio::progress);
            closed.join();
            assertFalse(data.isHolding());
            trio.end(trio.middle, forward);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldLeaveStreamDataThatIsSentWhenItsEndpointIsClosedForcibly(String tls) {
        try (var trio = new Trio(tls)) {
            var data = trio.streamData();
            long forward = trio.forward(trio.onward, data.segment());
            trio.back.closeForcibly();
            assertFalse(trio.back.isOpen());
            trio.overwrite();
            assertThrows(IllegalStateException.class, data::release);
            trio.receive();
            trio.end(trio.middle, forward);
            assertEquals('x', data.getByte(0));
            data.release();
            assertFalse(data.isHolding());
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldLeaveKeptMessageThatAnotherWorkerSends(String tls) {
        var trio = new Trio(tls);
        UcpWorker keeper = trio.context.createWorker();
        UcpEndpoint toKeeper = trio.first.createEndpoint(keeper.address());
        var kept = new UcpKeptMessage();
        keeper.activeMessages().setPersistentHandler(ID, message -> message.keep(kept));
        long send = toKeeper.amSend(ID, MemorySegment.NULL, trio.filled('x'), UcpActiveMessages.EAGER);
        UcxTransports.until(() -> kept.isHolding() && trio.first.requests().isDone(send), () -> {
            keeper.progress();
            trio.progress();
        });
        trio.first.requests().release(send);
        MemorySegment view = kept.segment();
        long forward = trio.forward(trio.onward, view);
        CompletableFuture<Void> peer = toKeeper.closeAsync();
        UcxTransports.until(peer::isDone, () -> {
            keeper.progress();
            trio.progress();
        });
        keeper.close();
        assertFalse(kept.isHolding());
        assertTrue(view.scope().isAlive());
        trio.receive();
        trio.end(trio.middle, forward);
        trio.closeAllButContext();
        trio.context.close(); // its part in C stays
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldStayKeptWhenThereIsNoRoomForTheReceive(String tls) {
        try (var trio = new Trio(tls)) {
            var kept = new UcpKeptMessage();
            trio.middle.activeMessages().setHandler(ID, message -> message.keep(kept));
            MemorySegment to = trio.arena.allocate(SIZE);
            long send = trio.there.amSend(ID, MemorySegment.NULL, trio.filled('x'), UcpActiveMessages.RENDEZVOUS);
            UcxTransports.until(kept::isHolding, trio::progress);
            try (var full = new FullTable(trio.middle)) {
                assertEquals(RequestSlots.MAX_SLOTS, full.size());
                refused(() -> kept.receive(to, 0));
                refused(() -> kept.receive(to, 0, 7));
            }
            assertTrue(kept.isHolding());
            long receive = kept.receive(to, 0);
            UcxTransports.until(() -> trio.middle.requests().isDone(receive), trio::progress);
            assertEquals(-1, to.mismatch(trio.filled('x')));
            trio.end(trio.middle, receive);
            trio.end(trio.first, send);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.isthmus.ucx.UcxTransports#all")
    void shouldReceiveInTheHandlerAfterThereWasNoRoom(String tls) {
        try (var trio = new Trio(tls)) {
            long[] receive = {-1};
            MemorySegment to = trio.arena.allocate(SIZE);
            trio.middle.activeMessages().setHandler(ID, message -> {
                try (var full = new FullTable(trio.middle)) {
                    assertEquals(RequestSlots.MAX_SLOTS, full.size());
                    refused(() -> message.receive(to));
                    refused(() -> message.receive(to, 0, 7));
                }
                receive[0] = message.receive(to);
            });
            long send = trio.there.amSend(ID, MemorySegment.NULL, trio.filled('x'), UcpActiveMessages.RENDEZVOUS);
            UcxTransports.until(() -> receive[0] >= 0 && trio.middle.requests().isDone(receive[0]), trio::progress);
            assertEquals(-1, to.mismatch(trio.filled('x')));
            trio.end(trio.middle, receive[0]);
            trio.end(trio.first, send);
        }
    }

    private static void refused(Executable receive) {
        var e = assertThrows(IllegalStateException.class, receive);
        assertTrue(e.getMessage().contains("the most there can be"), e::getMessage);
    }

    /** The table of a worker's operations as it is when all are outstanding, which takes a gigabyte. */
    private static final class FullTable implements AutoCloseable {

        private final Operations operations;
        private final Object slots;
        private final long free;

        FullTable(UcpWorker worker) {
            operations = worker.operations();
            try {
                slots = field("slots").get(operations);
                free = field("free").getLong(operations);
                field("slots").set(operations, Arrays.copyOf(operations.all(), RequestSlots.MAX_SLOTS));
                field("free").setLong(operations, 0);
            } catch (ReflectiveOperationException e) {
                throw new LinkageError("a field of RequestSlots", e);
            }
        }

        int size() {
            return operations.all().length;
        }

        private static Field field(String name) throws ReflectiveOperationException {
            Field field = RequestSlots.class.getDeclaredField(name);
            field.setAccessible(true);
            return field;
        }

        @Override
        public void close() {
            try {
                field("slots").set(operations, slots);
                field("free").setLong(operations, free);
            } catch (ReflectiveOperationException e) {
                throw new LinkageError("a field of RequestSlots", e);
            }
        }
    }

    /** Three workers of one thread: the first sends to the one in the middle, which sends on to the last. */
    private static final class Trio implements AutoCloseable {

        final Arena arena = GuardedArena.ofConfined();
        final UcpContext context;
        final UcpWorker first;
        final UcpWorker middle;
        final UcpWorker last;
        final UcpEndpoint there;
        final UcpEndpoint back;
        final UcpEndpoint onward;

        Trio(String tls) {
            context = UcpContext.create(config -> config.set("TLS", tls)
                    .set("RNDV_THRESH", "0") // what is sent on waits for its receiver
                    .features(EnumSet.of(UcpFeature.TAG, UcpFeature.STREAM, UcpFeature.AM)));
            first = context.createWorker();
            middle = context.createWorker();
            last = context.createWorker();
            there = first.createEndpoint(middle.address());
            back = middle.createEndpoint(first.address());
            onward = middle.createEndpoint(last.address());
        }

        MemorySegment filled(char with) {
            return arena.allocate(SIZE).fill((byte) with);
        }

        UcpStreamData streamData() {
            long send = there.stream().send(filled('x'), 0, SIZE);
            var data = UcpStreamData.of(middle);
            UcxTransports.until(() -> back.stream().receiveData(data), this::progress);
            end(first, send);
            return data;
        }

        long forward(UcpEndpoint over, MemorySegment segment) {
            long request = over.tagSend(segment, TAG);
            for (int i = 0; i < 100; i++) {
                progress();
            }
            assertFalse(middle.requests().isDone(request));
            return request;
        }

        /** Other messages, for which UCX uses memory that was given back to it. */
        void overwrite() {
            MemorySegment other = filled('y');
            MemorySegment to = arena.allocate(SIZE);
            for (int i = 0; i < 20; i++) {
                long receive = middle.tagReceive(to, 9);
                long send = there.tagSend(other, 9);
                end(first, send);
                end(middle, receive);
            }
        }

        void receive() {
            MemorySegment to = arena.allocate(SIZE);
            long receive = last.tagReceive(to, TAG);
            end(last, receive);
            assertEquals(-1, to.mismatch(filled('x')));
        }

        void end(UcpWorker worker, long request) {
            UcxTransports.until(() -> worker.requests().isDone(request), this::progress);
            assertEquals(0, worker.requests().statusCode(request));
            worker.requests().release(request);
        }

        void progress() {
            first.progress();
            middle.progress();
            last.progress();
        }

        void closeAllButContext() {
            CompletableFuture<Void> closed =
                    CompletableFuture.allOf(there.closeAsync(), back.closeAsync(), onward.closeAsync());
            UcxTransports.until(closed::isDone, this::progress);
            first.close();
            middle.close();
            last.close();
            arena.close();
        }

        @Override
        public void close() {
            closeAllButContext();
            context.close();
        }
    }
}
