// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.mpi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Every kind of send to every kind of receive, in both directions. */
final class CPeerMessages extends CPeer {

    private static final int[] SIZES = {0, 4, 1000, 100_000};
    private static final int ROUNDS = 3;
    private static final int PARTS = 4;

    /** In the order of {@code peer.c}. */
    private enum Kind {
        SEND,
        BSEND,
        SSEND,
        RSEND,
        ISEND,
        IBSEND,
        ISSEND,
        IRSEND,
        SEND_INIT,
        BSEND_INIT,
        SSEND_INIT,
        RSEND_INIT,
        PSEND;

        boolean isReady() {
            return this == RSEND || this == IRSEND || this == RSEND_INIT;
        }
    }

    CPeerMessages(Communicator world, Arena arena) {
        super(world, arena);
    }

    CPeer run() {
        int largest = SIZES[SIZES.length - 1];
        MemorySegment attached = bytes(4 * (4L * largest + Communicator.BSEND_OVERHEAD));
        world.attachBuffer(attached);
        for (Kind kind : Kind.values()) {
            for (int size : SIZES) {
                for (int sender = 0; sender < 2; sender++) {
                    nextStep();
                    try (Request request = Request.create()) {
                        if (me == sender) {
                            send(kind, ints(size), request);
                        } else {
                            receive(kind, ints(size), request);
                        }
                    }
                }
            }
        }
        for (int size : SIZES) {
            both(ints(size), ints(size), size);
        }
        world.detachBuffer();
        return this;
    }

    private void send(Kind kind, Buffer buffer, Request request) {
        switch (kind) {
            case SEND_INIT -> world.sendInit(buffer, other, step(), request);
            case BSEND_INIT -> world.bsendInit(buffer, other, step(), request);
            case SSEND_INIT -> world.ssendInit(buffer, other, step(), request);
            case RSEND_INIT -> world.rsendInit(buffer, other, step(), request);
            case PSEND -> world.psendInit(buffer, PARTS, other, step(), Info.NULL, request);
            default -> {} // prepares nothing
        }
        for (int round = 0; round < ROUNDS; round++) {
            fill(buffer, me + 2 * round);
            if (kind.isReady()) {
                world.barrier();
            }
            switch (kind) {
                case SEND -> world.send(buffer, other, step());
                case BSEND -> world.bsend(buffer, other, step());
                case SSEND -> world.ssend(buffer, other, step());
                case RSEND -> world.rsend(buffer, other, step());
                case ISEND -> world.isend(buffer, other, step(), request);
                case IBSEND -> world.ibsend(buffer, other, step(), request);
                case ISSEND -> world.issend(buffer, other, step(), request);
                case IRSEND -> world.irsend(buffer, other, step(), request);
                default -> request.start();
            }
            if (kind == Kind.PSEND) {
                for (int part = PARTS - 1; part >= 0; part--) {
                    request.ready(part);
                }
            }
            request.waitFor();
        }
    }

    private void receive(Kind kind, Buffer buffer, Request request) {
        int how = kind.isReady() ? 1 + step() % 2 : kind == Kind.PSEND ? 5 : step() % 5;
        int source = step() % 2 == 0 ? Communicator.ANY_SOURCE : other;
        int tag = step() % 3 == 0 ? Communicator.ANY_TAG : step();
        Message message = Message.create();
        Status status = Status.create();
        if (how == 2) {
            world.recvInit(buffer, source, tag, request);
        } else if (how == 5) {
            world.precvInit(buffer, PARTS, other, step(), Info.NULL, request);
        }
        for (int round = 0; round < ROUNDS; round++) {
            clear(buffer, -1);
            Status seen = switch (how) {
                case 0 -> {
                    world.recv(buffer, source, tag, status);
                    yield status;
                }
                case 1 -> {
                    world.irecv(buffer, source, tag, request);
                    yield request.status();
                }
                case 3 -> {
                    world.mprobe(source, tag, message);
                    yield message.mrecv(buffer);
                }
                case 4 -> {
                    while (!world.improbe(source, tag, message)) {
                        Thread.onSpinWait();
                    }
                    message.imrecv(buffer, request);
                    yield request.status();
                }
                default -> {
                    request.start();
                    yield request.status();
                }
            };
            if (kind.isReady()) {
                world.barrier();
            }
            request.waitFor();
            if (how != 5) {
                expect(other, seen.source());
                expect(step(), seen.tag());
                expect(buffer.count(), seen.count(Datatype.INT));
            }
            expect(buffer, (int) buffer.count(), other + 2 * round);
        }
    }

    private void both(Buffer out, Buffer in, int size) {
        nextStep();
        fill(out, me);
        world.sendrecv(out, other, step(), in, other, step());
        expect(in, size, other);
        world.sendrecvReplace(in, other, step(), other, step());
        expect(in, size, me);
        nextStep();
        fill(out, me);
        try (Request request = Request.create()) {
            world.isendrecv(out, other, step(), in, other, step(), request);
            request.waitFor();
            expect(in, size, other);
            world.isendrecvReplace(in, other, step(), other, step(), request);
            request.waitFor();
            expect(in, size, me);
        }
    }
}
