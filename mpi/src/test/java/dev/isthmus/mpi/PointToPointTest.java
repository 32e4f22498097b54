// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static dev.isthmus.mpi.RanksMain.ints;
import static dev.isthmus.mpi.RanksMain.toInts;
import static dev.isthmus.mpi.RanksMain.world;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("mpi")
@Ranks(2)
class PointToPointTest {

    private final Communicator world = world();
    private final int me = RanksMain.rank();
    private final int other = 1 - me;

    @Test
    void shouldSendInEachMode() {
        Status status = Status.create();
        try (GuardedArena arena = GuardedArena.ofConfined();
                Request request = Request.create()) {
            MemorySegment memory = arena.allocate(4096);
            world.attachBuffer(memory);
            assertThrows(IllegalStateException.class, arena::close);
            if (me == 0) {
                world.send(ints(1, 2, 3), 1, 1);
                world.bsend(ints(4), 1, 2);
                world.ssend(ints(5), 1, 3);
                world.recv(ints(0), 1, 4); // the receive of the next is posted
                world.rsend(ints(6), 1, 5);
                world.flushBuffer();
                world.iflushBuffer(request);
                request.waitFor();
            } else {
                Buffer buffer = ints(0, 0, 0);
                world.recv(buffer, 0, 1, status);
                assertArrayEquals(new int[] {1, 2, 3}, toInts(buffer));
                assertEquals(0, status.source());
                assertEquals(1, status.tag());
                assertEquals(3, status.count(Datatype.INT));
                assertEquals(3, status.elements(Datatype.INT));
                assertEquals(12, status.bytes());
                world.recv(buffer, Communicator.ANY_SOURCE, Communicator.ANY_TAG, status);
                assertEquals(2, status.tag());
                assertEquals(1, status.count(Datatype.INT));
                world.recv(buffer, 0, 3);
                Buffer last = ints(0);
                world.irecv(last, 0, 5, request);
                world.send(ints(0), 0, 4);
                request.waitFor();
                assertArrayEquals(new int[] {6}, toInts(last));
            }
            world.detachBuffer();
        }
    }

    @Test
    void shouldSendInEachModeWithoutWaiting() {
        try (Requests requests = Requests.create(4);
                Arena arena = Arena.ofConfined()) {
            world.attachBuffer(arena.allocate(4096));
            Buffer[] buffers = {ints(me), ints(me + 10), ints(me + 20), ints(me + 30)};
            if (me == 0) {
                world.barrier(); // the receives are posted
                world.isend(buffers[0], other, 0, requests.get(0));
                world.ibsend(buffers[1], other, 1, requests.get(1));
                world.issend(buffers[2], other, 2, requests.get(2));
                world.irsend(buffers[3], other, 3, requests.get(3));
                requests.waitAll();
            } else {
                for (int i = 0; i < 4; i++) {
                    world.irecv(buffers[i], other, i, requests.get(i));
                }
                assertFalse(requests.testAll());
                world.barrier();
                while (!requests.testAll()) {
                    Thread.onSpinWait();
                }
                assertEquals(2, requests.get(2).status().tag());
                assertArrayEquals(new int[] {20}, toInts(buffers[2]));
            }
            assertFalse(requests.get(0).isActive());
            world.detachBuffer();
        }
    }

    @Test
    void shouldStartPersistentOperationsAgainAndAgain() {
        try (Requests requests = Requests.create(5)) {
            Arena arena = Arena.ofAuto();
            Buffer[] out = new Buffer[4];
            Buffer in = Buffer.of(arena.allocate(JAVA_INT, 1), Datatype.INT);
            for (int i = 0; i < 4; i++) {
                out[i] = Buffer.of(arena.allocateFrom(JAVA_INT, i), Datatype.INT);
            }
            world.attachBuffer(arena.allocate(4096));
            world.sendInit(out[0], other, 7, requests.get(0));
            world.bsendInit(out[1], other, 7, requests.get(1));
            world.ssendInit(out[2], other, 7, requests.get(2));
            world.rsendInit(out[3], other, 8, requests.get(3));
            world.recvInit(in, other, 7, requests.get(4));
            assertTrue(requests.get(4).isPersistent());
            assertThrows(IllegalStateException.class, () -> world.irecv(in, other, 7, requests.get(4)));
            for (int round = 0; round < 10; round++) {
                for (int kind = 0; kind < 3; kind++) {
                    out[kind].segment().set(JAVA_INT, 0, 100 * round + kind);
                    requests.get(4).start();
                    assertThrows(IllegalStateException.class, requests.get(4)::start);
                    requests.get(kind).start();
                    requests.waitAll();
                    assertEquals(100 * round + kind, in.segment().get(JAVA_INT, 0));
                }
            }
            requests.get(3).reset();
            assertFalse(requests.get(3).isPersistent());
            assertThrows(IllegalStateException.class, requests::startAll);
            world.detachBuffer();
        }
    }

    @Test
    void shouldStartAllAtOnce() {
        try (Requests requests = Requests.create(2)) {
            Buffer in = ints(0);
            world.recvInit(in, other, 1, requests.get(0));
            world.sendInit(ints(me + 1), other, 1, requests.get(1));
            for (int round = 0; round < 3; round++) {
                requests.startAll();
                requests.waitAll();
                assertEquals(other + 1, in.segment().get(JAVA_INT, 0));
            }
        }
    }

    @Test
    void shouldCompleteAnyAndSome() {
        int n = 3;
        try (Requests requests = Requests.create(n)) {
            Buffer[] in = {ints(0), ints(0), ints(0)};
            for (int i = 0; i < n; i++) {
                world.irecv(in[i], other, i, requests.get(i));
            }
            assertEquals(-1, requests.testAny());
            assertEquals(0, requests.testSome());
            world.barrier();
            world.send(ints(41), other, 1);
            assertEquals(1, requests.waitAny());
            assertEquals(1, requests.anyStatus().tag());
            assertEquals(41, in[1].segment().get(JAVA_INT, 0));
            world.barrier(); // or the other's next message may be there as soon as this one
            world.send(ints(40), other, 0);
            world.send(ints(42), other, 2);
            int done = 0;
            while (done < 2) {
                int some = requests.waitSome();
                for (int i = 0; i < some; i++) {
                    assertEquals(requests.index(i), requests.someStatus(i).tag());
                }
                done += some;
            }
            assertEquals(-1, requests.waitAny());
            assertEquals(0, requests.waitSome());
            assertEquals(40, in[0].segment().get(JAVA_INT, 0));
        }
    }

    @Test
    void shouldSendAndReceiveAtOnce() {
        Status status = Status.create();
        Buffer in = ints(0);
        world.sendrecv(ints(me), other, 3, in, other, 3, status);
        assertEquals(other, in.segment().get(JAVA_INT, 0));
        assertEquals(other, status.source());
        world.sendrecvReplace(in, other, 4, other, 4);
        assertEquals(me, in.segment().get(JAVA_INT, 0));
        try (Request request = Request.create()) {
            world.isendrecv(ints(me + 5), other, 5, in, other, 5, request);
            request.waitFor();
            assertEquals(other + 5, in.segment().get(JAVA_INT, 0));
            world.isendrecvReplace(in, other, 6, other, 6, request);
            while (!request.test()) {
                Thread.onSpinWait();
            }
            assertEquals(me + 5, in.segment().get(JAVA_INT, 0));
        }
    }

    @Test
    void shouldProbe() {
        Status status = Status.create();
        Message message = Message.create();
        if (me == 0) {
            assertFalse(world.iprobe(1, 9, status));
            assertFalse(world.improbe(1, 9, message));
            world.barrier();
            world.send(ints(1, 2), 1, 1);
            world.send(ints(3), 1, 2);
            world.send(ints(4), 1, 3);
        } else {
            world.barrier();
            world.probe(0, 1, status);
            assertEquals(2, status.count(Datatype.INT));
            Buffer two = ints(0, 0);
            world.mprobe(0, Communicator.ANY_TAG, message);
            assertTrue(message.isMatched());
            assertThrows(IllegalStateException.class, () -> world.mprobe(0, 2, message));
            assertEquals(1, message.status().tag());
            message.mrecv(two);
            assertArrayEquals(new int[] {1, 2}, toInts(two));
            assertThrows(IllegalStateException.class, () -> message.mrecv(two));
            while (!world.iprobe(0, 2, status)) {
                Thread.onSpinWait();
            }
            while (!world.improbe(0, 2, message)) {
                Thread.onSpinWait();
            }
            try (Request request = Request.create()) {
                Buffer one = ints(0);
                message.imrecv(one, request);
                request.waitFor();
                assertArrayEquals(new int[] {3}, toInts(one));
            }
            world.recv(two, 0, 3);
        }
    }

    @Test
    void shouldTellWhatCouldBeCompleted() {
        try (Requests requests = Requests.create(3)) {
            assertTrue(requests.isComplete());
            assertEquals(-1, requests.anyComplete());
            assertEquals(0, requests.someComplete());
            Buffer[] in = {ints(0), ints(0), ints(0)};
            for (int i = 0; i < 3; i++) {
                world.irecv(in[i], other, i, requests.get(i));
            }
            assertFalse(requests.isComplete());
            assertEquals(-1, requests.anyComplete());
            assertEquals(0, requests.someComplete());
            world.barrier();
            world.send(ints(41), other, 1);
            while (requests.someComplete() == 0) {
                Thread.onSpinWait();
            }
            assertEquals(1, requests.index(0));
            assertEquals(1, requests.someStatus(0).tag());
            assertEquals(1, requests.anyComplete());
            assertEquals(other, requests.anyStatus().source());
            assertFalse(requests.isComplete());
            assertTrue(requests.get(1).isActive());
            world.barrier();
            world.send(ints(40), other, 0);
            world.send(ints(42), other, 2);
            while (!requests.isComplete()) {
                Thread.onSpinWait();
            }
            assertTrue(requests.get(0).isActive());
            requests.waitAll();
            assertEquals(42, in[2].segment().get(JAVA_INT, 0));
        }
    }

    @Test
    void shouldCancelAReceive() {
        try (Request request = Request.create()) {
            world.irecv(ints(0), other, 77, request);
            assertFalse(request.isComplete());
            request.cancel();
            assertTrue(request.waitFor().isCancelled());
            assertThrows(IllegalStateException.class, request::cancel);
        }
    }

    @Test
    void shouldTellOfATruncatedMessage() {
        if (me == 0) {
            world.send(ints(1, 2, 3, 4), 1, 0);
        } else {
            var e = assertThrows(MpiException.class, () -> world.recv(ints(0), 0, 0));
            assertEquals(ErrorClass.TRUNCATE, e.errorClass());
            assertEquals("MPI_Recv_c", e.call());
            assertTrue(e.getMessage().contains("MPI_ERR_TRUNCATE"), e.getMessage());
            assertTrue(e.getMessage().contains("probe first"), e.getMessage());
        }
        world.barrier();
    }

    @Test
    void shouldGuardMemoryUntilTheRequestHasCompleted() {
        try (Request request = Request.create()) {
            GuardedArena arena = GuardedArena.ofShared();
            Buffer buffer = Buffer.of(arena.allocate(JAVA_INT), Datatype.INT);
            world.irecv(buffer, other, 1, request);
            var e = assertThrows(IllegalStateException.class, arena::close);
            assertTrue(e.getMessage().contains("1 active requests"), e.getMessage());
            assertThrows(IllegalStateException.class, request::close);
            assertThrows(IllegalStateException.class, () -> world.irecv(buffer, other, 1, request));
            world.send(ints(me), other, 1);
            request.waitFor();
            arena.close();
            assertThrows(IllegalStateException.class, arena::close);
            assertThrows(IllegalStateException.class, () -> world.send(buffer, other, 1));
            assertThrows(IllegalStateException.class, () -> world.irecv(buffer, other, 1, request));
        }
    }

    @Test
    void shouldKeepAMemoryLongEnoughForAnOpenRequest() {
        try (Request request = Request.create()) {
            world.irecv(Buffer.of(Arena.ofAuto().allocate(1 << 20), Datatype.BYTE), other, 1, request);
            byte[] garbage = new byte[1 << 20];
            System.gc();
            world.send(Buffer.of(Arena.ofAuto().allocate(1 << 20), Datatype.BYTE), other, 1);
            request.waitFor();
            assertEquals(garbage.length, request.status().bytes());
        }
    }

    @Test
    void shouldRefuseWhatIsWrongBeforeMpiSeesIt() throws Exception {
        Buffer one = ints(1);
        assertThrows(IllegalArgumentException.class, () -> world.send(one, 2, 0));
        assertThrows(IllegalArgumentException.class, () -> world.send(one, -1, 0));
        assertThrows(IllegalArgumentException.class, () -> world.send(one, 0, -1));
        assertThrows(IllegalArgumentException.class, () -> world.recv(one, 5, 0));
        assertThrows(IllegalArgumentException.class, () -> world.bcast(one, 2));
        Buffer readOnly = Buffer.of(one.segment().asReadOnly(), Datatype.INT);
        assertThrows(IllegalArgumentException.class, () -> world.recv(readOnly, 0, 0));
        assertThrows(IllegalArgumentException.class, () -> world.iprobe(0, 0, Status.IGNORE));
        Thread thread = Thread.ofPlatform().start(() -> {
            assertThrows(WrongThreadException.class, () -> world.send(one, other, 0));
        });
        var failure = new Throwable[1];
        thread.setUncaughtExceptionHandler((t, e) -> failure[0] = e);
        thread.join();
        assertEquals(null, failure[0]);
        assertThrows(IllegalStateException.class, RanksMain.mpi()::close);
        assertThrows(IllegalStateException.class, world::close);
    }

    @Test
    void shouldSendToNobody() {
        Status status = Status.create();
        world.send(ints(1), Communicator.PROC_NULL, 0);
        world.recv(ints(1), Communicator.PROC_NULL, 0, status);
        assertEquals(Communicator.PROC_NULL, status.source());
        assertEquals(0, status.bytes());
    }

    @Test
    void shouldCopyHeapArraysWhereTheNameSaysSo() {
        double[] values = {1, 2, 3};
        if (me == 0) {
            world.sendCopy(MemorySegment.ofArray(values), Datatype.DOUBLE, 1, 0);
        } else {
            double[] got = new double[4];
            got[3] = 7;
            world.recvCopy(MemorySegment.ofArray(got), Datatype.DOUBLE, 0, 0, Status.IGNORE);
            assertArrayEquals(new double[] {1, 2, 3, 7}, got);
        }
        world.allreduceCopy(MemorySegment.ofArray(values), Datatype.DOUBLE, Operation.SUM);
        assertArrayEquals(new double[] {2, 4, 6}, values);
        long[] root = {me};
        world.bcastCopy(MemorySegment.ofArray(root), Datatype.LONG, 1);
        assertEquals(1, root[0]);
    }

    @Test
    void shouldTransferPartitions() {
        int partitions = 4;
        try (Request request = Request.create();
                Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(JAVA_DOUBLE, 8);
            Buffer buffer = Buffer.of(memory, Datatype.DOUBLE);
            assertThrows(IllegalStateException.class, () -> request.ready(0));
            if (me == 0) {
                world.psendInit(buffer, partitions, 1, 3, Info.NULL, request);
            } else {
                world.precvInit(buffer, partitions, 0, 3, Info.NULL, request);
            }
            for (int round = 1; round <= 3; round++) {
                request.start();
                if (me == 0) {
                    for (int i = 0; i < 8; i++) {
                        memory.setAtIndex(JAVA_DOUBLE, i, round * 10 + i);
                    }
                    request.ready(3);
                    request.readyRange(0, 1);
                    request.readyList(2);
                } else {
                    while (!request.arrived(3)) {
                        Thread.onSpinWait();
                    }
                    assertEquals(round * 10 + 7, memory.getAtIndex(JAVA_DOUBLE, 7));
                }
                request.waitFor();
                assertEquals(round * 10 + 2, memory.getAtIndex(JAVA_DOUBLE, 2));
            }
        }
    }
}
