// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static dev.isthmus.mpi.RanksMain.ints;
import static dev.isthmus.mpi.RanksMain.world;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Messages that are checked once, and requests without statuses. */
@Tag("mpi")
@Ranks(2)
class PreparedMessageTest {

    private final Communicator world = world();
    private final int me = RanksMain.rank();
    private final int other = 1 - me;

    @Test
    void shouldTransferAgainAndAgain() {
        try (GuardedArena arena = GuardedArena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_INT);
            MemorySegment in = arena.allocate(JAVA_INT);
            Status status = Status.create();
            try (PreparedSend send = world.prepareSend(Buffer.of(out, Datatype.INT), other, 4);
                    PreparedReceive receive =
                            world.prepareReceive(Buffer.of(in, Datatype.INT), Communicator.ANY_SOURCE, 4);
                    Requests requests = Requests.create(2)) {
                for (int round = 0; round < 10; round++) {
                    out.set(JAVA_INT, 0, 10 * round + me);
                    if (me == 0) {
                        send.send();
                        receive.recv(status);
                    } else {
                        receive.recv(status);
                        send.send();
                    }
                    assertEquals(10 * round + other, in.get(JAVA_INT, 0));
                    assertEquals(other, status.source());
                    assertEquals(1, status.count(Datatype.INT));
                    out.set(JAVA_INT, 0, 10 * round + me + 5);
                    receive.irecv(requests.get(0));
                    send.isend(requests.get(1));
                    requests.waitAll();
                    assertEquals(10 * round + other + 5, in.get(JAVA_INT, 0));
                    assertEquals(4, requests.get(0).status().tag());
                }
            }
        }
    }

    @Test
    void shouldKeepOpenWhatItUses() {
        GuardedArena arena = GuardedArena.ofConfined();
        Datatype pair = Datatype.contiguous(2, Datatype.INT);
        Communicator apart = world.dup();
        Buffer buffer = Buffer.of(arena.allocate(JAVA_INT, 2), pair);
        PreparedSend send = apart.prepareSend(buffer, other, 0);
        PreparedReceive receive = apart.prepareReceive(buffer, other, 0);
        for (AutoCloseable used : new AutoCloseable[] {arena, pair, apart}) {
            var e = assertThrows(IllegalStateException.class, used::close);
            assertTrue(e.getMessage().contains(" 2 "), e.getMessage());
        }
        assertThrows(IllegalStateException.class, apart::disconnect);
        assertFalse(apart.isClosed());
        if (me == 0) {
            send.send();
        } else {
            receive.recv();
        }
        send.close();
        assertThrows(IllegalStateException.class, arena::close);
        receive.close();
        receive.close();
        assertTrue(receive.isClosed());
        assertThrows(IllegalStateException.class, receive::recv);
        pair.close();
        apart.close();
        arena.close();
        assertThrows(IllegalStateException.class, () -> apart.prepareSend(buffer, other, 0));
        assertThrows(IllegalStateException.class, () -> world.prepareSend(buffer, other, 0));
    }

    @Test
    void shouldStayOpenUntilItsRequestHasCompleted() {
        GuardedArena arena = GuardedArena.ofConfined();
        Buffer buffer = Buffer.of(arena.allocate(JAVA_INT), Datatype.INT);
        try (Request request = Request.create()) {
            PreparedReceive receive = world.prepareReceive(buffer, other, 1);
            receive.irecv(request);
            assertThrows(IllegalStateException.class, () -> receive.irecv(request));
            assertThrows(IllegalStateException.class, receive::close);
            assertThrows(IllegalStateException.class, arena::close);
            world.send(ints(me), other, 1);
            request.waitFor();
            assertEquals(other, buffer.segment().get(JAVA_INT, 0));
            world.irecv(buffer, other, 2, request); // which holds the memory for itself
            receive.close();
            assertThrows(IllegalStateException.class, arena::close);
            world.send(ints(me), other, 2);
            request.waitFor();
        }
        arena.close();
    }

    @Test
    void shouldRefuseWhatItCannotKeepOpen() {
        try (Arena arena = Arena.ofConfined()) {
            Buffer buffer = Buffer.of(arena.allocate(JAVA_INT), Datatype.INT);
            var e = assertThrows(IllegalArgumentException.class, () -> world.prepareSend(buffer, other, 0));
            assertTrue(e.getMessage().contains("GuardedArena"), e.getMessage());
        }
        assertThrows(IllegalArgumentException.class, () -> world.prepareReceive(ints(0), other, 0));
        assertThrows(IllegalArgumentException.class, () -> world.prepareSend(Buffer.EMPTY, 2, 0));
        assertThrows(IllegalArgumentException.class, () -> world.prepareSend(Buffer.EMPTY, other, -1));
        MemorySegment readOnly = Arena.global().allocate(JAVA_INT).asReadOnly();
        assertThrows(
                IllegalArgumentException.class,
                () -> world.prepareReceive(Buffer.of(readOnly, Datatype.INT), other, 0));
        world.prepareSend(Buffer.EMPTY, Communicator.PROC_NULL, 0).close();
    }

    @Test
    void shouldBelongToItsThread() throws InterruptedException {
        var failure = new AtomicReference<Throwable>();
        try (PreparedSend send = world.prepareSend(Buffer.EMPTY, Communicator.PROC_NULL, 0);
                Request request = Request.create()) {
            Thread thread = Thread.ofPlatform().unstarted(() -> {
                assertThrows(WrongThreadException.class, send::send);
                assertThrows(WrongThreadException.class, () -> send.isend(request));
                assertThrows(WrongThreadException.class, send::close);
            });
            thread.setUncaughtExceptionHandler((t, e) -> failure.set(e));
            thread.start();
            thread.join();
            send.send();
            send.isend(request);
            request.waitFor();
        }
        assertEquals(null, failure.get());
    }

    @Test
    void shouldNotCloseWhileAFunctionRuns() {
        try (PreparedSend send = world.prepareSend(Buffer.EMPTY, Communicator.PROC_NULL, 0)) {
            var thrown = new AtomicReference<RuntimeException>();
            try (Operation operation = Operation.of(Datatype.INT, true, (in, inOut, count) -> {
                thrown.set(assertThrows(IllegalStateException.class, send::close));
            })) {
                operation.reduceLocal(ints(1), ints(2));
            }
            assertTrue(
                    thrown.get().getMessage().contains("function"), thrown.get().getMessage());
            send.send();
        }
    }

    @Test
    void shouldThrowWhatMpiRefuses() {
        try (PreparedReceive receive =
                        world.prepareReceive(Buffer.of(Arena.global().allocate(JAVA_INT), Datatype.INT), 0, 0);
                Request request = Request.create()) {
            if (me == 0) {
                world.send(ints(1, 2), 1, 0);
                world.send(ints(3, 4), 1, 0);
            } else {
                var e = assertThrows(MpiException.class, receive::recv);
                assertEquals(ErrorClass.TRUNCATE, e.errorClass());
                receive.irecv(request);
                assertThrows(MpiException.class, request::waitFor);
                assertFalse(request.isActive());
            }
            world.barrier();
        }
    }

    @Test
    void shouldTellOfErrorsWithoutStatuses() {
        try (Requests requests = Requests.createIgnoringStatuses(3);
                GuardedArena arena = GuardedArena.ofConfined()) {
            assertEquals(Status.IGNORE, requests.get(0).status());
            if (me == 0) {
                world.send(ints(1), 1, 0);
                world.send(ints(2, 3), 1, 1); // too long
                world.send(ints(4), 1, 2);
            } else {
                Buffer[] in = new Buffer[3];
                for (int i = 0; i < 3; i++) {
                    in[i] = Buffer.of(arena.allocate(JAVA_INT), Datatype.INT);
                    world.irecv(in[i], 0, i, requests.get(i));
                }
                var e = assertThrows(MpiException.class, requests::waitAll);
                assertEquals(ErrorClass.IN_STATUS, e.errorClass());
                assertTrue(e.getMessage().contains("statuses ignored"), e.getMessage());
                requests.waitAll(); // for those that the error has left
                for (int i = 0; i < 3; i++) {
                    assertFalse(requests.get(i).isActive());
                }
                assertEquals(1, in[0].segment().get(JAVA_INT, 0));
                assertEquals(4, in[2].segment().get(JAVA_INT, 0));
            }
            world.barrier();
            for (int i = 0; i < 3; i++) {
                world.isend(ints(i), Communicator.PROC_NULL, 0, requests.get(i));
            }
            assertTrue(requests.waitAny() >= 0);
            assertTrue(requests.testAll());
            assertEquals(0, requests.waitSome());
        }
    }
}
