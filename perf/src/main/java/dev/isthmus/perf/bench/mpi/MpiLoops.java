// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.mpi;

import dev.isthmus.mpi.Buffer;
import dev.isthmus.mpi.Communicator;
import dev.isthmus.mpi.Datatype;
import dev.isthmus.mpi.GuardedArena;
import dev.isthmus.mpi.Info;
import dev.isthmus.mpi.Mpi;
import dev.isthmus.mpi.Operation;
import dev.isthmus.mpi.PreparedReceive;
import dev.isthmus.mpi.PreparedSend;
import dev.isthmus.mpi.Request;
import dev.isthmus.mpi.Requests;
import dev.isthmus.mpi.Window;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/**
 * A row's loop on each rank: {@code MpiLoops ROW BYTES OPERATIONS BLOCKS WARMUP [TURNS]} prints, of rank 0, the nanoseconds of each
 * block; of recv and irecv, of rank 1. {@code mpi.c} has the same loops in C. A JVM runs one row, as a program does that does one thing.
 */
final class MpiLoops implements AutoCloseable {

    private static final int WINDOW = 64;
    private static final int FEW = 2;
    private static final int PAGE = 4096; // as in C: where in a page memory lies changes how it is copied
    /** Messages that are sent before one is received: MPI keeps so many. */
    static final int BURST = 32;

    /** So many operations. */
    private interface Loop {
        void run(int times);
    }

    private final Communicator world;
    private final int rank;
    private final int peer;
    private final Arena arena = Arena.ofConfined();
    private final GuardedArena kept = GuardedArena.ofConfined();
    private final PreparedSend preparedSend; // null unless there are two ranks
    private final PreparedReceive preparedReceive;
    private final Buffer out;
    private final Buffer in;
    private final Buffer empty;
    private final Buffer numbers;
    private final Buffer sums;
    private final Buffer all;
    private final Buffer allGot;
    private final Requests requests;
    private final Requests burst;
    private final Requests two;
    private final Request one;
    private final Window window;
    private final Turns turns; // null of rows without
    private long counted;

    private MpiLoops(Communicator world, int bytes, Turns turns) {
        this.turns = turns;
        this.world = world;
        rank = world.rank();
        peer = 1 - rank;
        MemorySegment memory = arena.allocate((bytes + 8L) * world.size(), PAGE);
        MemorySegment other = arena.allocate((bytes + 8L) * world.size(), PAGE);
        out = Buffer.of(memory, bytes, Datatype.BYTE);
        in = Buffer.of(other, bytes, Datatype.BYTE);
        empty = Buffer.of(other, 0, Datatype.BYTE);
        numbers = Buffer.of(memory, bytes / 8, Datatype.DOUBLE);
        sums = Buffer.of(other, bytes / 8, Datatype.DOUBLE);
        all = Buffer.of(memory, (long) bytes * world.size(), Datatype.BYTE);
        allGot = Buffer.of(other, (long) bytes * world.size(), Datatype.BYTE);
        Buffer keptOut = Buffer.of(kept.allocate(bytes, PAGE), Datatype.BYTE);
        Buffer keptIn = Buffer.of(kept.allocate(bytes, PAGE), Datatype.BYTE);
        preparedSend = world.size() != 2 ? null : world.prepareSend(keptOut, peer, 0);
        preparedReceive = world.size() != 2 ? null : world.prepareReceive(keptIn, peer, 0);
        requests = Requests.createIgnoringStatuses(WINDOW);
        burst = Requests.createIgnoringStatuses(BURST);
        two = Requests.createIgnoringStatuses(2);
        one = Request.create();
        window = Window.allocate(world, bytes + 8L, 1, Info.NULL);
        window.lockAll();
    }

    private Loop loop(String row) {
        return switch (row) {
            case "latency" -> this::latency;
            case "stream" -> this::stream;
            case "self" -> this::self;
            case "persistent" -> {
                world.recvInit(in, rank, 0, two.get(0));
                world.sendInit(out, rank, 0, two.get(1));
                yield this::persistent;
            }
            case "allreduce" -> this::allreduce;
            case "alltoall" -> this::alltoall;
            case "barrier" -> this::barrier;
            case "put" -> this::put;
            case "test" -> {
                world.irecv(in, rank, 2, one);
                yield this::test;
            }
            case "send", "recv" -> byTurns(this::sends, this::receives);
            case "isend", "irecv" -> byTurns(this::isends, this::irecvs);
            case "prepared-send", "prepared-recv" -> byTurns(this::preparedSends, this::preparedReceives);
            case "prepared-isend", "prepared-irecv" -> byTurns(this::preparedIsends, this::preparedIrecvs);
            default -> throw new IllegalArgumentException(row);
        };
    }

    private void latency(int times) {
        for (int i = 0; i < times; i++) {
            if (rank == 0) {
                world.send(out, peer, 0);
                world.recv(in, peer, 0);
            } else {
                world.recv(in, peer, 0);
                world.send(out, peer, 0);
            }
        }
    }

    private void stream(int times) {
        for (int i = 0; i < times; i += WINDOW) {
            for (int k = 0; k < WINDOW; k++) {
                if (rank == 0) {
                    world.isend(out, peer, 0, requests.get(k));
                } else {
                    world.irecv(in, peer, 0, requests.get(k));
                }
            }
            requests.waitAll();
            if (rank == 0) {
                world.recv(empty, peer, 1);
            } else {
                world.send(empty, peer, 1);
            }
        }
    }

    private void self(int times) {
        for (int i = 0; i < times; i++) {
            world.irecv(in, rank, 0, two.get(0));
            world.isend(out, rank, 0, two.get(1));
            two.waitAll();
        }
    }

    private void persistent(int times) {
        for (int i = 0; i < times; i++) {
            two.startAll();
            two.waitAll();
        }
    }

    private void allreduce(int times) {
        for (int i = 0; i < times; i++) {
            world.allreduce(numbers, sums, Operation.SUM);
        }
    }

    private void alltoall(int times) {
        for (int i = 0; i < times; i++) {
            world.alltoall(all, allGot);
        }
    }

    private void barrier(int times) {
        for (int i = 0; i < times; i++) {
            world.barrier();
        }
    }

    private void put(int times) {
        for (int i = 0; i < times; i++) {
            window.put(out, rank, 0);
            window.flush(rank);
        }
    }

    private void test(int times) {
        for (int i = 0; i < times; i++) {
            if (one.test()) {
                throw new IllegalStateException("nobody has sent this");
            }
        }
    }

    /** Rank 0 works while the other sleeps, and then the other way round. */
    private Loop byTurns(Loop first, Loop second) {
        Loop own = rank == 0 ? first : second;
        return times -> {
            if (rank != 0) {
                turns.await(rank);
            }
            long began = System.nanoTime();
            own.run(times);
            counted = System.nanoTime() - began;
            turns.pass(peer);
            if (rank == 0) {
                turns.await(rank);
            }
        };
    }

    private void sends(int times) {
        for (int i = 0; i < times; i++) {
            world.send(out, peer, 0);
        }
    }

    private void receives(int times) {
        for (int i = 0; i < times; i++) {
            world.recv(in, peer, 0);
        }
    }

    private void isends(int times) {
        for (int i = 0; i < times; i++) {
            world.isend(out, peer, 0, burst.get(i));
        }
        burst.waitAll();
    }

    private void irecvs(int times) {
        for (int i = 0; i < times; i++) {
            world.irecv(in, peer, 0, burst.get(i));
        }
        burst.waitAll();
    }

    private void preparedSends(int times) {
        for (int i = 0; i < times; i++) {
            preparedSend.send();
        }
    }

    private void preparedReceives(int times) {
        for (int i = 0; i < times; i++) {
            preparedReceive.recv();
        }
    }

    private void preparedIsends(int times) {
        for (int i = 0; i < times; i++) {
            preparedSend.isend(burst.get(i));
        }
        burst.waitAll();
    }

    private void preparedIrecvs(int times) {
        for (int i = 0; i < times; i++) {
            preparedReceive.irecv(burst.get(i));
        }
        burst.waitAll();
    }

    @Override
    public void close() {
        if (one.isActive()) {
            world.send(out, rank, 2);
            one.waitFor();
        }
        one.close();
        two.close();
        burst.close();
        requests.close();
        window.unlockAll();
        window.close();
        if (preparedSend != null) {
            preparedSend.close();
            preparedReceive.close();
        }
        kept.close();
        arena.close();
    }

    /** Started by {@link MpiCommand}. */
    public static void main(String[] args) {
        int operations = Integer.parseInt(args[2]);
        int blocks = Integer.parseInt(args[3]);
        int warmUp = Integer.parseInt(args[4]);
        Mpi.run(mpi -> {
            Communicator world = mpi.world();
            int printer = args[0].endsWith("recv") ? 1 : 0;
            try (Turns turns = args.length > 5 ? new Turns(Path.of(args[5])) : null;
                    var loops = new MpiLoops(world, Integer.parseInt(args[1]), turns)) {
                Loop loop = loops.loop(args[0]);
                loop.run(BURST); // so that C2 knows what is done at a request's first use
                // Short at first: C2 compiles a loop that runs for long while it runs, and differently.
                for (int i = 0; i < warmUp; i++) {
                    loop.run(FEW);
                }
                loop.run(operations);
                for (int i = 0; i < blocks; i++) {
                    world.barrier();
                    long began = System.nanoTime();
                    loop.run(operations);
                    long took = turns == null ? System.nanoTime() - began : loops.counted;
                    if (world.rank() == printer) {
                        System.out.println("block " + took);
                    }
                }
            }
        });
    }
}
