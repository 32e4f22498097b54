// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.isthmus.perf.tools.PerftestException;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * The ping-pong of write_lat: each end writes a number into the last byte of the other's buffer, and polls the last
 * byte of its own until the next number is there. The server begins. Allocates nothing.
 */
final class WriteLoop {

    private static final VarHandle BYTE = JAVA_BYTE.varHandle();

    private final QueuePair qp;
    private final CompletionQueue queue;
    private final WorkCompletions done = WorkCompletions.allocate(1);
    private final SendRequest write;
    private final MemorySegment memory;
    private final long outgoing;
    private final long incoming;
    private final boolean timed;
    private final Phases phases;
    private final CompletionWaiter waiter;
    private final long[] posted;
    private long sampled;
    private byte sent;
    private byte received;

    WriteLoop(Endpoint end, Requests requests, Phases phases, int bytes) {
        qp = end.pair(0);
        queue = end.sendQueue();
        write = requests.send(0, 0, true);
        memory = end.memory().segment();
        outgoing = end.sendOffset(0) + bytes - 1;
        incoming = end.receiveOffset(0) + bytes - 1;
        timed = end.plan.traffic().isTimed();
        posted = new long[end.plan.traffic().iterations()];
        this.phases = phases;
        waiter = CompletionWaiter.polling(end, phases);
    }

    /** Runs it; returns the time of each post in nanoseconds, or none for a run with a duration. */
    long[] run(boolean client) throws PerftestException {
        if (timed) {
            runForSomeTime(client);
        } else if (client) {
            for (int i = 0; i < posted.length; i++) {
                awaitWrite();
                write(i);
            }
        } else {
            write(0);
            for (int i = 1; i < posted.length; i++) {
                awaitWrite();
                write(i);
            }
            awaitWrite();
        }
        return posted;
    }

    /** How many writes there were while measuring, in a run with a duration. */
    long sampled() {
        return sampled;
    }

    private void runForSomeTime(boolean client) throws PerftestException {
        phases.start();
        if (!client) {
            post();
        }
        while (!phases.isEnd()) {
            awaitWrite();
            if (!phases.isEnd()) {
                post();
                if (phases.isSampling()) {
                    sampled++;
                }
            }
        }
    }

    private void awaitWrite() throws PerftestException {
        received++;
        if ((byte) BYTE.getAcquire(memory, incoming) != received) {
            awaitWriteAtLength();
        }
    }

    private void awaitWriteAtLength() throws PerftestException {
        while ((byte) BYTE.getAcquire(memory, incoming) != received && !phases.isEnd()) {
            if (waiter.checkClock()) {
                throw waiter.silent("no write from the peer");
            }
        }
        waiter.busy();
    }

    private void write(int index) throws PerftestException {
        posted[index] = System.nanoTime();
        post();
    }

    private void post() throws PerftestException {
        memory.set(JAVA_BYTE, outgoing, ++sent);
        if (!qp.tryPost(write)) {
            throw new PerftestException("the send queue is full");
        }
        if (queue.poll(done) == 0 && waiter.await(queue, done, "the peer acknowledges nothing") == 0) {
            return; // the time is up
        }
        if (!done.isSuccess(0)) {
            throw CompletionWaiter.failed("write", sent, done, 0);
        }
    }
}
