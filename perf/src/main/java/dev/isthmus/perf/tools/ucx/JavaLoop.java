// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpWorker;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** The loops with Isthmus. Those of one-sided operations have nothing to receive. */
abstract class JavaLoop extends UcxLoop {

    final UcpWorker worker;
    final UcpEndpoint endpoint;
    final UcxProgress waiting;
    final MemorySegment outgoing;
    final MemorySegment incoming;
    final long bytes;
    final Window sends;
    private final boolean progresses;

    JavaLoop(JavaEnd end) {
        super(end);
        worker = end.worker;
        endpoint = end.endpoint;
        waiting = end.waiting;
        outgoing = end.outgoing.segment();
        incoming = end.incoming.segment();
        bytes = end.plan.bytes();
        sends = new Window(waiting, end.plan.window());
        progresses = !end.plan.has(UcxPlan.ONE_SIDED);
    }

    @Override
    void receive() throws IOException {
        throw new UnsupportedOperationException("one-sided operations go in one direction only");
    }

    /** Nothing shows before the last message, except that the peer has gone. */
    @Override
    void take(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            pass();
        }
    }

    /** Progresses once, unless the test forbids it to the target. */
    final void pass() throws IOException {
        if (progresses) {
            waiting.pass();
        } else {
            waiting.idle();
        }
    }

    @Override
    void finish() throws IOException {
        sends.drain();
    }
}
