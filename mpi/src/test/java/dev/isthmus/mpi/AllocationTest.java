// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static dev.isthmus.mpi.RanksMain.ints;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What transfers data with prepared buffers, statuses and requests does not allocate a byte on the Java heap. */
@Tag("mpi")
@Ranks(2)
class AllocationTest {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int ROUNDS = 8;
    private static final int OPERATIONS = 300;

    private final Communicator world = RanksMain.world();
    private final int me = RanksMain.rank();
    private final int other = 1 - me;
    private final Buffer out = me < 0 ? null : ints(1, 2, 3, 4);
    private final Buffer in = me < 0 ? null : ints(new int[4]);

    /**
     * Repeats an operation on both ranks. All rounds run, so that the ranks do the same; linking and the JIT allocate in some,
     * but what an operation allocates is in each.
     */
    private static void assertAllocatesNothing(String name, Runnable operation) {
        long[] bytes = new long[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < OPERATIONS; i++) {
                operation.run();
            }
            bytes[round] = THREADS.getCurrentThreadAllocatedBytes() - before;
        }
        assertTrue(
                Arrays.stream(bytes).anyMatch(each -> each == 0),
                () -> name + " allocates in " + OPERATIONS + " operations " + Arrays.toString(bytes) + " bytes");
    }

    @Test
    void shouldSeeWhatAllocates() {
        Object[] kept = new Object[1];
        long before = THREADS.getCurrentThreadAllocatedBytes();
        kept[0] = new byte[16];
        assertTrue(THREADS.getCurrentThreadAllocatedBytes() - before >= 16);
    }

    @Test
    void shouldNotAllocateForMessages() {
        Status status = Status.create();
        Message message = Message.create();
        MemorySegment attached = Arena.ofAuto().allocate(1 << 16);
        world.attachBuffer(attached);
        assertAllocatesNothing("send and recv", () -> {
            if (me == 0) {
                world.send(out, 1, 0);
                world.recv(in, 1, 0, status);
            } else {
                world.recv(in, 0, Communicator.ANY_TAG, status);
                world.send(out, status.source(), status.tag());
            }
        });
        assertAllocatesNothing("sendrecv", () -> world.sendrecv(out, other, 1, in, other, 1, status));
        assertAllocatesNothing("sendrecvReplace", () -> world.sendrecvReplace(in, other, 1, other, 1));
        assertAllocatesNothing("bsend and probes", () -> {
            world.bsend(out, other, 2);
            world.probe(other, 2, status);
            while (!world.improbe(other, 2, message)) {
                Thread.onSpinWait();
            }
            message.mrecv(in);
        });
        world.detachBuffer();
    }

    @Test
    void shouldNotAllocateForRequests() {
        try (GuardedArena arena = GuardedArena.ofConfined();
                Request send = Request.create();
                Request receive = Request.create();
                Requests both = Requests.create(2)) {
            Buffer guarded = Buffer.of(arena.allocate(JAVA_INT, 4), Datatype.INT);
            assertAllocatesNothing("isend and irecv", () -> {
                world.irecv(guarded, other, 0, receive);
                world.isend(out, other, 0, send);
                while (!receive.test()) {
                    Thread.onSpinWait();
                }
                send.waitFor();
            });
            assertAllocatesNothing("requests together", () -> {
                world.irecv(guarded, other, 0, both.get(0));
                world.isend(out, other, 0, both.get(1));
                both.waitAll();
                world.irecv(guarded, other, 0, both.get(0));
                world.isend(out, other, 0, both.get(1));
                while (both.waitAny() >= 0) {
                    Thread.onSpinWait();
                }
                world.irecv(guarded, other, 0, both.get(0));
                world.isend(out, other, 0, both.get(1));
                for (int done = 0; done < 2; ) {
                    done += both.waitSome();
                }
            });
            try (PreparedSend prepared = world.prepareSend(guarded, other, 2);
                    PreparedReceive received = world.prepareReceive(guarded, other, 2);
                    Requests plain = Requests.createIgnoringStatuses(2)) {
                assertAllocatesNothing("prepared messages", () -> {
                    received.irecv(plain.get(0));
                    prepared.send();
                    plain.get(0).waitFor();
                    prepared.isend(plain.get(0));
                    received.recv();
                    plain.waitAll();
                });
            }
            world.recvInit(guarded, other, 3, both.get(0));
            world.sendInit(out, other, 3, both.get(1));
            assertAllocatesNothing("persistent operations", () -> {
                both.startAll();
                both.waitAll();
                both.get(0).start();
                both.get(1).start();
                both.get(1).waitFor();
                both.get(0).waitFor();
            });
        }
    }

    @Test
    void shouldNotAllocateForPartitions() {
        try (Request request = Request.create()) {
            if (me == 0) {
                world.psendInit(out, 2, 1, 0, Info.NULL, request);
            } else {
                world.precvInit(in, 2, 0, 0, Info.NULL, request);
            }
            assertAllocatesNothing("partitions", () -> {
                request.start();
                if (me == 0) {
                    request.ready(0);
                    request.ready(1);
                } else {
                    while (!request.arrived(1)) {
                        Thread.onSpinWait();
                    }
                }
                request.waitFor();
            });
        }
    }

    @Test
    void shouldNotAllocateForCollectives() {
        Blocks from = Blocks.of(out.segment(), Datatype.INT, 2, 2);
        Blocks into = Blocks.of(in.segment(), Datatype.INT, 2, 2);
        Buffer half = Buffer.of(out.segment(), 2, Datatype.INT);
        try (Request request = Request.create()) {
            assertAllocatesNothing("collectives", () -> {
                world.barrier();
                world.bcast(in, 0);
                world.allreduce(out, in, Operation.SUM);
                world.reduce(out, in, Operation.MAX, 1);
                world.alltoall(out, in);
                world.alltoallv(from, into);
                world.allgather(half, in);
                world.allgatherv(half, into);
                world.scan(out, in, Operation.SUM);
            });
            assertAllocatesNothing("collectives that do not wait", () -> {
                world.iallreduce(out, in, Operation.SUM, request);
                request.waitFor();
                world.ibarrier(request);
                request.waitFor();
                world.ialltoall(out, in, request);
                request.waitFor();
            });
            world.allreduceInit(out, in, Operation.SUM, Info.NULL, request);
            assertAllocatesNothing("persistent collectives", () -> {
                request.start();
                request.waitFor();
            });
        }
    }

    @Test
    void shouldNotAllocateForWindows() {
        try (Window window = Window.allocate(world, 64, Integer.BYTES, Info.NULL);
                Request request = Request.create()) {
            Buffer one = ints(1);
            Buffer result = ints(0);
            window.lockAll();
            assertAllocatesNothing("one-sided operations", () -> {
                window.put(out, other, 0);
                window.get(in, other, 4);
                window.accumulate(out, other, 8, Operation.SUM);
                window.fetchAndOp(one, result, other, 12, Operation.SUM);
                window.compareAndSwap(one, one, result, other, 13);
                window.getAccumulate(one, result, other, 14, Operation.SUM);
                window.flush(other);
                window.rput(out, other, 0, request);
                request.waitFor();
                window.flushAll();
            });
            window.unlockAll();
            assertAllocatesNothing("locks", () -> {
                window.lock(other, Window.Lock.EXCLUSIVE);
                window.put(one, other, 0);
                window.unlock(other);
            });
            assertAllocatesNothing("fences", () -> window.fence(0));
        }
    }

    @Test
    void shouldNotAllocateForFiles() throws Exception {
        Path path = Files.createTempFile("isthmus-mpi", ".bin");
        Set<MpiFile.Mode> modes = Set.of(MpiFile.Mode.RDWR, MpiFile.Mode.DELETE_ON_CLOSE);
        Status status = Status.create();
        try (MpiFile file = MpiFile.open(RanksMain.mpi().self(), path, modes, Info.NULL)) {
            assertAllocatesNothing("access to a file", () -> {
                file.writeAt(0, out, status);
                file.readAt(0, in, status);
            });
        }
    }
}
