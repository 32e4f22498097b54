// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * One of two ranks, whose other is {@code peer.c}: both do the same in the same order. What a rank sends follows from the step
 * and its rank, so that the other can check every element.
 */
class CPeer {

    final Communicator world;
    final int me;
    final int other;
    private final Arena arena;
    private int step;

    CPeer(Communicator world, Arena arena) {
        this.world = world;
        this.arena = arena;
        me = world.rank();
        other = 1 - me;
    }

    /** Runs the part of the arguments on this rank. */
    public static void main(String[] args) {
        try (Mpi mpi = Mpi.init();
                GuardedArena arena = GuardedArena.ofConfined()) {
            Communicator world = mpi.world();
            CPeer peer = switch (args[0]) {
                case "POINT_TO_POINT" -> new CPeerMessages(world, arena).run();
                case "DATATYPES" -> new CPeerDatatypes(world, arena).run();
                case "COLLECTIVES" -> new CPeerCollectives(world, arena).run();
                case "ONE_SIDED" -> new CPeerWindows(world, arena).run();
                case "FILES" -> new CPeerWindows(world, arena).files(args[1]);
                default -> throw new IllegalArgumentException(args[0]);
            };
            world.barrier();
            System.out.println("Java, rank " + world.rank() + ": " + peer.step + " steps");
        } catch (Throwable t) { // the other may wait for this rank
            t.printStackTrace();
            System.err.flush();
            Runtime.getRuntime().halt(1);
        }
    }

    final int step() {
        return step;
    }

    final int nextStep() {
        return ++step;
    }

    /** The element that a rank has at an index in this step. */
    final int value(int from, int index) {
        return step * 1_000_003 + from * 7919 + index * 31;
    }

    final Buffer ints(int count) {
        return Buffer.of(arena.allocate(JAVA_INT, Math.max(count, 1)), count, Datatype.INT);
    }

    final MemorySegment bytes(long size) {
        return arena.allocate(size, Long.BYTES);
    }

    final void fill(Buffer buffer, int from) {
        for (int i = 0; i < buffer.count(); i++) {
            set(buffer, i, value(from, i));
        }
    }

    static void clear(Buffer buffer, int with) {
        buffer.segment().fill((byte) with);
    }

    static int at(Buffer buffer, int index) {
        return buffer.segment().getAtIndex(JAVA_INT, index);
    }

    static void set(Buffer buffer, int index, int to) {
        buffer.segment().setAtIndex(JAVA_INT, index, to);
    }

    final void expect(Buffer buffer, int first, int count, int from, int firstValue) {
        for (int i = 0; i < count; i++) {
            expect(value(from, firstValue + i), at(buffer, first + i));
        }
    }

    final void expect(Buffer buffer, int count, int from) {
        expect(buffer, 0, count, from, 0);
    }

    final void expect(long expected, long actual) {
        if (expected != actual) {
            throw new AssertionError("Java, rank " + me + ", step " + step + ": " + actual + " instead of " + expected);
        }
    }

    final void check(boolean holds) {
        if (!holds) {
            throw new AssertionError("Java, rank " + me + ", step " + step);
        }
    }
}
