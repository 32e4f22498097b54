// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** Puts. The last byte of a message is its number, and the other end waits for that. */
final class PutLoop extends UcxLoop {

    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();
    private static final byte NONE = -1;

    /** The last byte of the last message of a test in one direction. */
    private static final byte LAST = 1;

    private final MemorySegment outgoing;
    private final MemorySegment incoming;
    private byte sent;
    private byte awaited;

    PutLoop(UcxEnd end) {
        super(end);
        outgoing = end.outgoing();
        incoming = end.incoming();
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
    long post() {
        if (pingPong) {
            BYTE.setVolatile(outgoing, bytes - 1, sent++);
        }
        return end.put();
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
            end.fence();
            sends.drain();
            BYTE.setVolatile(outgoing, bytes - 1, LAST);
            send();
        }
        super.finish();
    }
}
