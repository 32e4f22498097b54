// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import dev.isthmus.ucx.UcpRemoteMemory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** Gets, in one direction: the server only progresses. */
final class GetLoop implements JavaLoop {

    private final UcpRemoteMemory remote;
    private final UcxProgress waiting;
    private final MemorySegment memory;
    private final long bytes;
    private final boolean progresses;
    private final Window gets;

    GetLoop(JavaEnd end) {
        remote = end.remote();
        waiting = end.waiting();
        memory = end.outgoing();
        bytes = end.plan().bytes();
        progresses = !end.plan().has(UcxPlan.ONE_SIDED);
        gets = new Window(waiting, end.plan().window());
    }

    @Override
    public void ask(int count) {
        throw new UnsupportedOperationException("gets go in one direction only");
    }

    @Override
    public void answer(int count) {
        throw new UnsupportedOperationException("gets go in one direction only");
    }

    @Override
    public void give(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            gets.room();
            gets.add(remote.get(memory, 0, bytes, 0));
        }
    }

    @Override
    public void take(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            if (progresses) {
                waiting.pass();
            } else {
                waiting.idle();
            }
        }
    }

    @Override
    public void finish() throws IOException {
        gets.drain();
    }
}
