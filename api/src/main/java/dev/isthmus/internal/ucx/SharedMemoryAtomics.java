// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.ucx;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.internal.NativeCall;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;

/**
 * Whether the loaded UCX computes AND, OR and XOR correctly over shared memory, even when it fetches. UCX 1.13.1 of
 * Debian 12 does not, because of a compiler bug: AND and OR leave the number unchanged, and XOR makes it 0. Its
 * function is tried once.
 */
public final class SharedMemoryAtomics {

    private static final int ATOMIC_OP_AND = 1; // uct_atomic_op_t
    private static final long ENDPOINT_BYTES = 4096; // for statistics, in builds that have them

    private SharedMemoryAtomics() {}

    /** Whether such operations are wrong. */
    public static boolean areWrong() {
        return Probe.WRONG;
    }

    private static final class Probe {
        static final boolean WRONG = ask();

        private Probe() {}

        // ucs_status_t (uct_ep_h, uct_atomic_op_t, uint64_t value, uint64_t *result, uint64_t remote, uct_rkey_t,
        // uct_completion_t *)
        private static boolean ask() {
            var descriptor = FunctionDescriptor.of(
                    JAVA_BYTE, ADDRESS, JAVA_INT, JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG, ADDRESS);
            var name = "uct_sm_ep_atomic64_fetch";
            var function = UcxLibrary.functionOfTransports(name, descriptor);
            if (function.isEmpty()) {
                return false;
            }
            try (var call = new NativeCall()) {
                MemorySegment endpoint = call.allocate(ENDPOINT_BYTES, Long.BYTES);
                MemorySegment number = call.allocate(JAVA_LONG);
                MemorySegment result = call.allocate(JAVA_LONG);
                number.set(JAVA_LONG, 0, 0b1100);
                int status = call.integer8(
                        function.get(),
                        endpoint,
                        ATOMIC_OP_AND,
                        0b1010L,
                        result,
                        number.address(),
                        0L,
                        MemorySegment.NULL);
                return status == 0 && number.get(JAVA_LONG, 0) != 0b1000;
            }
        }
    }
}
