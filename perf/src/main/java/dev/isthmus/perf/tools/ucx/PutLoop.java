// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import dev.isthmus.ucx.UcpRemoteMemory;
import dev.isthmus.ucx.UcpWorker;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** Puts. The last byte of a message is its number, and the other end waits for that. */
final class PutLoop implements JavaLoop {

    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();
    private static final byte NONE = -1;

    /** The last byte of the last message of a test in one direction. */
    private static final byte LAST = 1;

    private final UcpWorker worker;
    private final UcpRemoteMemory remote;
    private final UcxProgress waiting;
    private final MemorySegment outgoing;
    private final MemorySegment incoming;
    private final long bytes;
    private final boolean progresses;
    private final boolean pingPong;
    private final boolean server;
    private final Window sends;
    private byte number;

    PutLoop(JavaEnd end) {
        UcxPlan plan = end.plan();
        worker = end.worker();
        remote = end.remote();
        waiting = end.waiting();
        outgoing = end.outgoing();
        incoming = end.incoming();
        bytes = plan.bytes();
        progresses = !plan.has(UcxPlan.ONE_SIDED);
        pingPong = plan.test().isPingPong();
        server = end.isServer();
        sends = new Window(waiting, plan.window());
    }

    @Override
    public void begin() {
        byte mark = pingPong ? NONE : 0;
        number = 0;
        BYTE.setVolatile(outgoing, bytes - 1, mark);
        BYTE.setVolatile(incoming, bytes - 1, mark);
    }

    @Override
    public void ask(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            send();
            await(number);
            number++;
        }
    }

    @Override
    public void answer(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            await(number);
            send();
            number++;
        }
    }

    @Override
    public void give(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            sends.room();
            sends.add(remote.put(outgoing, 0, bytes, 0));
        }
    }

    /** Nothing shows before the last message, except that the peer has gone. */
    @Override
    public void take(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            pass();
        }
    }

    private void pass() throws IOException {
        if (progresses) {
            waiting.pass();
        } else {
            waiting.idle();
        }
    }

    private void send() throws IOException {
        sends.room();
        BYTE.setVolatile(outgoing, bytes - 1, number);
        sends.add(remote.put(outgoing, 0, bytes, 0));
    }

    private void await(byte mark) throws IOException {
        while ((byte) BYTE.getVolatile(incoming, bytes - 1) != mark) {
            pass();
        }
    }

    @Override
    public void finish() throws IOException {
        if (!pingPong && server) {
            await(LAST);
        } else if (!pingPong) {
            worker.fence();
            sends.drain();
            BYTE.setVolatile(outgoing, bytes - 1, LAST);
            sends.add(remote.put(outgoing, 0, bytes, 0));
        }
        sends.drain();
    }
}
