// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** Atomic operations in one direction. They leave a zero unchanged; the last one sets the number's last byte to 1. */
final class AtomicLoop extends UcxLoop {

    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();

    AtomicLoop(UcxEnd end) {
        super(end);
    }

    @Override
    void begin() {
        end.incoming().fill((byte) 0);
        VarHandle.fullFence();
    }

    @Override
    void run(int count) throws IOException {
        repeat(count);
    }

    @Override
    long post() {
        return end.atomic(0);
    }

    /** Progresses even if the test forbids it: UCX may carry out an atomic operation in software, at the target. */
    @Override
    void take(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            end.pass();
        }
    }

    @Override
    void finish() throws IOException {
        if (server) {
            while ((byte) BYTE.getVolatile(end.incoming(), bytes - 1) == 0) {
                end.pass();
            }
        } else {
            sends.drain();
            end.fence();
            sends.add(end.atomic(1L << (Byte.SIZE * (bytes - 1))));
            super.finish();
        }
    }
}
