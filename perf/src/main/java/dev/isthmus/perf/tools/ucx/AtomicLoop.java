// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import dev.isthmus.ucx.UcpAtomic;
import dev.isthmus.ucx.UcpRemoteAtomics;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** Atomic operations in one direction. They leave a zero unchanged; the last one sets the number's last byte to 1. */
final class AtomicLoop extends JavaLoop {

    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();
    private static final long LAST_64 = 1L << 56;
    private static final int LAST_32 = 1 << 24;

    private final UcpRemoteAtomics atomics;
    private final UcxTest.Command command;

    AtomicLoop(JavaEnd end) {
        super(end);
        atomics = end.remote.atomics();
        command = end.plan.test().command;
    }

    @Override
    void begin() {
        incoming.fill((byte) 0);
        VarHandle.fullFence();
    }

    @Override
    void run(int count) throws IOException {
        repeat(count);
    }

    @Override
    void send() throws IOException {
        sends.room();
        sends.add(bytes == Long.BYTES ? begin64(0) : begin32(0));
    }

    /** Progresses even if the test forbids it: UCX may carry out an atomic operation in software, at the target. */
    @Override
    void take(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            waiting.pass();
        }
    }

    private long begin64(long operand) {
        return switch (command) {
            case ADD -> atomics.apply64(UcpAtomic.ADD, 0, operand);
            case FADD -> atomics.fetch64(UcpAtomic.ADD, 0, operand);
            case SWAP -> atomics.fetch64(UcpAtomic.SWAP, 0, operand);
            default -> atomics.compareAndSwap64(0, 0, operand);
        };
    }

    private long begin32(int operand) {
        return switch (command) {
            case ADD -> atomics.apply32(UcpAtomic.ADD, 0, operand);
            case FADD -> atomics.fetch32(UcpAtomic.ADD, 0, operand);
            case SWAP -> atomics.fetch32(UcpAtomic.SWAP, 0, operand);
            default -> atomics.compareAndSwap32(0, 0, operand);
        };
    }

    @Override
    void finish() throws IOException {
        if (server) {
            while ((byte) BYTE.getVolatile(incoming, bytes - 1) == 0) {
                waiting.pass();
            }
        } else {
            sends.drain();
            worker.fence();
            sends.add(bytes == Long.BYTES ? begin64(LAST_64) : begin32(LAST_32));
            super.finish();
        }
    }
}
