// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.isthmus.perf.tools.PerftestException;
import dev.isthmus.verbs.SendRequest;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * The ping-pong of write_lat: each end writes a number into the last byte of the other's buffer, and polls the last
 * byte of its own until the next number is there. The server begins. Allocates nothing.
 */
final class WriteLoop extends LatencyLoop {

    private static final VarHandle BYTE = JAVA_BYTE.varHandle();

    private final SendRequest write;
    private final MemorySegment memory;
    private final long outgoing;
    private final long incoming;
    private byte written;
    private byte received;

    WriteLoop(Endpoint end, Requests requests, Phases phases, int bytes) {
        super(end, phases);
        write = requests.send(0, 0, true);
        memory = end.memory.segment();
        outgoing = end.sendOffset(0) + bytes - 1;
        incoming = end.receiveOffset(0) + bytes - 1;
    }

    @Override
    void run(boolean client) throws PerftestException {
        if (!client) {
            write(0);
        }
        for (int i = client ? 0 : 1; i < posted.length; i++) {
            awaitWrite();
            write(i);
        }
        if (!client) {
            awaitWrite();
        }
    }

    @Override
    void runForSomeTime(boolean client) throws PerftestException {
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
        memory.set(JAVA_BYTE, outgoing, ++written);
        if (!qp.tryPost(write)) {
            throw new PerftestException("the send queue is full");
        }
        if (sendQueue.poll(sent) == 0 && waiter.await(sendQueue, sent, "the peer acknowledges nothing") == 0) {
            return; // the time is up
        }
        if (!sent.isSuccess(0)) {
            throw CompletionWaiter.failed("write", written, sent, 0);
        }
    }
}
