// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import dev.isthmus.ucx.UcpRemoteMemory;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** Puts. The last byte of a message is its number, and the other end waits for that. */
final class PutLoop extends JavaLoop {

    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();
    private static final byte NONE = -1;

    /** The last byte of the last message of a test in one direction. */
    private static final byte LAST = 1;

    private final UcpRemoteMemory remote;
    private byte sent;
    private byte awaited;

    PutLoop(JavaEnd end) {
        super(end);
        remote = end.remote;
    }

    @Override
    void begin() {
        byte mark = pingPong ? NONE : 0;
        sent = 0;
        awaited = 0;
        BYTE.setVolatile(outgoing, bytes - 1, mark);
        BYTE.setVolatile(incoming, bytes - 1, mark);
    }

    @Override
    void run(int count) throws IOException {
        repeat(count);
    }

    @Override
    void send() throws IOException {
        sends.room();
        if (pingPong) {
            BYTE.setVolatile(outgoing, bytes - 1, sent++);
        }
        sends.add(remote.put(outgoing, 0, bytes, 0));
    }

    @Override
    void receive() throws IOException {
        await(awaited++);
    }

    private void await(byte mark) throws IOException {
        while ((byte) BYTE.getVolatile(incoming, bytes - 1) != mark) {
            pass();
        }
    }

    @Override
    void finish() throws IOException {
        if (!pingPong && server) {
            await(LAST);
        } else if (!pingPong) {
            worker.fence();
            sends.drain();
            BYTE.setVolatile(outgoing, bytes - 1, LAST);
            send();
        }
        super.finish();
    }
}
