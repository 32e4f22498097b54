// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Messages between random ranks, of random kinds, sizes and tags, and receives of random kinds for them, some for any source or
 * tag. All follows from a seed, so every rank knows what the others do.
 *
 * <p>Which message a receive gets is not determined if it takes those of several ranks. But the standard (3.5, order) forbids
 * some outcomes, and this checks that none of these came: if one message was sent before another of the same rank, and the
 * receive that got the other fits it, too, then its own receive was posted earlier.
 */
final class RandomBatch implements AutoCloseable {

    /** In a batch. */
    static final int MESSAGES = 120;

    private static final int TAGS = 3;
    private static final int LARGEST = 20_000; // ints; by rendezvous, as are the 4,000

    /** A message; its number tells when it was sent. */
    private record Sent(int number, int from, int to, int tag, int size, int kind) {}

    /** A receive; {@code got} is what it has received. */
    private static final class Receive {

        final int source;
        final int tag;
        final int kind;
        Sent got;

        Receive(int source, int tag, int kind) {
            this.source = source;
            this.tag = tag;
            this.kind = kind;
        }

        boolean fits(Sent sent) {
            return (source == Communicator.ANY_SOURCE || source == sent.from)
                    && (tag == Communicator.ANY_TAG || tag == sent.tag);
        }
    }

    private final Communicator world;
    private final int me;
    private final MemorySegment[] out = new MemorySegment[MESSAGES];
    private final MemorySegment[] in = new MemorySegment[MESSAGES];
    private final Requests sends = Requests.create(MESSAGES);
    private final Requests receives = Requests.create(MESSAGES);
    private final Status status = Status.create();
    private final Message message = Message.create();
    private long seed;

    RandomBatch(Communicator world, Arena arena) {
        this.world = world;
        me = world.rank();
        for (int i = 0; i < MESSAGES; i++) {
            out[i] = arena.allocate(JAVA_INT, LARGEST);
            in[i] = arena.allocate(JAVA_INT, LARGEST);
        }
        world.attachBuffer(arena.allocate(MESSAGES * (4L * LARGEST + Communicator.BSEND_OVERHEAD)));
    }

    /** Runs one, and returns how many messages it had. */
    int run(long batchSeed) {
        seed = batchSeed;
        var random = new Random(seed);
        boolean postedFirst = random.nextBoolean();
        var messages = new ArrayList<Sent>();
        for (int i = 0; i < MESSAGES; i++) {
            messages.add(message(i, random, postedFirst));
        }
        var mine = new ArrayList<Receive>();
        for (int rank = 0; rank < world.size(); rank++) { // the same random numbers on all ranks
            List<Receive> theirs = receives(messages, rank, random);
            if (rank == me) {
                mine.addAll(theirs);
            }
        }
        if (postedFirst) {
            mine.forEach(receive -> post(receive, mine.indexOf(receive)));
            world.barrier();
            messages.forEach(this::send);
            receives.waitAll();
            for (int i = 0; i < mine.size(); i++) {
                got(mine.get(i), i, receives.get(i).status(), messages);
            }
        } else {
            messages.forEach(this::send);
            for (int i = 0; i < mine.size(); i++) {
                got(mine.get(i), i, receive(mine.get(i), i), messages);
            }
        }
        sends.waitAll();
        for (int i = 0; i < MESSAGES; i++) {
            sends.get(i).reset();
        }
        checkOrder(mine);
        world.barrier(); // or receives for any source would get messages of the next batch
        return MESSAGES;
    }

    /** If receives are posted before, then sends that wait for them are possible, too. */
    private Sent message(int number, Random random, boolean posted) {
        int from = random.nextInt(world.size());
        int to = (from + 1 + random.nextInt(world.size() - 1)) % world.size();
        int size = switch (random.nextInt(20)) {
            case 0 -> 0;
            case 1 -> LARGEST;
            case 2, 3 -> 4000;
            default -> 1 + random.nextInt(50);
        };
        // One of no size has a tag of its own, because it has no number in it.
        int tag = size == 0 ? TAGS + number : random.nextInt(TAGS);
        return new Sent(number, from, to, tag, size, random.nextInt(posted ? 7 : 4));
    }

    /**
     * One receive for each message to a rank: first such that fit few, then such that fit more. In this order each gets one,
     * whatever comes first.
     */
    private static List<Receive> receives(List<Sent> messages, int rank, Random random) {
        var narrow = new ArrayList<Receive>();
        var half = new ArrayList<Receive>();
        var wide = new ArrayList<Receive>();
        boolean byTag = random.nextBoolean();
        int most = random.nextInt(3);
        for (Sent sent : messages) {
            int width = random.nextInt(most + 1);
            int kind = random.nextInt(4);
            if (sent.to != rank) {
                continue;
            }
            if (width == 0) {
                narrow.add(new Receive(sent.from, sent.tag, kind));
            } else if (width == 1) {
                half.add(
                        byTag
                                ? new Receive(Communicator.ANY_SOURCE, sent.tag, kind)
                                : new Receive(sent.from, Communicator.ANY_TAG, kind));
            } else {
                wide.add(new Receive(Communicator.ANY_SOURCE, Communicator.ANY_TAG, kind));
            }
        }
        Collections.shuffle(narrow, random);
        Collections.shuffle(half, random);
        narrow.addAll(half);
        narrow.addAll(wide);
        return narrow;
    }

    private int value(int number, int index) {
        return index == 0 ? number : (int) (seed + number * 7919L + index * 31L);
    }

    private void send(Sent sent) {
        if (sent.from != me) {
            return;
        }
        MemorySegment memory = out[sent.number];
        for (int i = 0; i < sent.size; i++) {
            memory.setAtIndex(JAVA_INT, i, value(sent.number, i));
        }
        Buffer buffer = Buffer.of(memory, sent.size, Datatype.INT);
        Request request = sends.get(sent.number);
        switch (sent.kind) {
            case 0 -> world.isend(buffer, sent.to, sent.tag, request);
            case 1 -> world.issend(buffer, sent.to, sent.tag, request);
            case 2 -> world.bsend(buffer, sent.to, sent.tag);
            case 3 -> {
                world.sendInit(buffer, sent.to, sent.tag, request);
                request.start();
            }
            case 4 -> world.send(buffer, sent.to, sent.tag);
            case 5 -> world.ssend(buffer, sent.to, sent.tag);
            default -> world.irsend(buffer, sent.to, sent.tag, request);
        }
    }

    private Buffer into(int index) {
        in[index].fill((byte) -1);
        return Buffer.of(in[index], Datatype.INT);
    }

    private void post(Receive receive, int index) {
        world.irecv(into(index), receive.source, receive.tag, receives.get(index));
    }

    /** Receives one at once, in one of four ways. */
    private Status receive(Receive receive, int index) {
        Buffer buffer = into(index);
        switch (receive.kind) {
            case 0 -> world.recv(buffer, receive.source, receive.tag, status);
            case 1 -> {
                world.irecv(buffer, receive.source, receive.tag, receives.get(index));
                return receives.get(index).waitFor();
            }
            case 2 -> {
                world.mprobe(receive.source, receive.tag, message);
                return message.mrecv(buffer);
            }
            default -> {
                while (!world.iprobe(receive.source, receive.tag, status)) {
                    Thread.onSpinWait();
                }
                world.recv(buffer, status.source(), status.tag(), status);
            }
        }
        return status;
    }

    /** Finds out which message came, and checks all of it. */
    private void got(Receive receive, int index, Status seen, List<Sent> messages) {
        MemorySegment memory = in[index];
        long size = seen.count(Datatype.INT);
        int number = size == 0 ? seen.tag() - TAGS : memory.get(JAVA_INT, 0);
        assertTrue(number >= 0 && number < MESSAGES, "no message has the number " + number);
        Sent sent = messages.get(number);
        assertEquals(me, sent.to);
        assertEquals(sent.from, seen.source());
        assertEquals(sent.tag, seen.tag());
        assertEquals(sent.size, size);
        assertTrue(receive.fits(sent), "a receive got what does not fit");
        for (int i = 0; i < size; i++) {
            if (memory.getAtIndex(JAVA_INT, i) != value(number, i)) {
                assertEquals(value(number, i), memory.getAtIndex(JAVA_INT, i), "element " + i);
            }
        }
        if (size < LARGEST) {
            assertEquals(-1, memory.getAtIndex(JAVA_INT, size), "more was written");
        }
        assertNull(receive.got);
        receive.got = sent;
    }

    private static void checkOrder(List<Receive> mine) {
        var seen = new boolean[MESSAGES];
        for (int late = 0; late < mine.size(); late++) {
            Receive one = mine.get(late);
            assertTrue(!seen[one.got.number], "a message came twice");
            seen[one.got.number] = true;
            // Posted later than "one", but "one" fits what it got, and that had been sent before: forbidden.
            for (Receive later : mine.subList(late + 1, mine.size())) {
                boolean overtaken = later.got.from == one.got.from && later.got.number < one.got.number;
                assertTrue(
                        !(overtaken && one.fits(later.got)),
                        () -> one.got + " came where " + later.got + " was to come, which was sent before");
            }
        }
    }

    @Override
    public void close() {
        sends.close();
        receives.close();
        world.barrier();
        world.detachBuffer();
    }
}
