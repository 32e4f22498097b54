// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isthmus.VerbsException;
import dev.isthmus.internal.Errno;
import dev.isthmus.internal.Libc;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.NativeFunction;
import dev.isthmus.internal.verbs.VerbsErrors;
import dev.isthmus.testbed.RefusedByDevice;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A region of more than 4 GiB, on a machine with less: a little memory is mapped over and over. */
@Tag("device")
@Tag("connectx")
class LargeRegionTest {

    private static final long CHUNK = 64L << 20;
    private static final long TAIL = 1L << 20;
    private static final long FOUR_GIB = 1L << 32;

    private static final int PROT_NONE = 0;
    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_PRIVATE_ANONYMOUS_NORESERVE = 0x4022;
    private static final int MAP_SHARED_FIXED = 0x11;

    private static final NativeFunction MEMFD_CREATE = new NativeFunction(
            "memfd_create",
            Linker.nativeLinker().defaultLookup().find("memfd_create").orElseThrow(),
            FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));

    @Test
    void shouldReachMemoryBeyondFourGib() throws IOException {
        try (var arena = Arena.ofShared();
                var pair = RcPair.connected()) {
            MemorySegment memory = map(arena);
            try (var region = register(pair.b.pd, memory)) {
                assertEquals(FOUR_GIB + TAIL, region.length());
                long offset = FOUR_GIB + 4096 + 8;
                pair.a.memory().set(JAVA_INT, 0, 4711);
                assertTrue(pair.a.qp.tryPost(pair.a
                        .send(0, 4)
                        .opcode(SendOpcode.RDMA_WRITE)
                        .remote(region.address() + offset, region.rkey())));
                pair.a.await();
                assertTrue(pair.a.done.isSuccess(0), pair.a.done.toString());
                assertEquals(4711, memory.get(JAVA_INT, offset));
                assertEquals(0, memory.get(JAVA_INT, offset - FOUR_GIB)); // where 32 bits would have led

                memory.set(JAVA_INT, offset + 4, 4712);
                assertTrue(pair.a.qp.tryPost(pair.a.receive(64, 4)));
                assertTrue(pair.b.qp.tryPost(
                        SendRequest.prepare(1).sge(0, region, offset + 4, 4).signaled(true)));
                pair.a.await();
                assertEquals(4712, pair.a.memory().get(JAVA_INT, 64));
                pair.b.await();

                SendRequest whole = SendRequest.prepare(1);
                assertThrows(IndexOutOfBoundsException.class, () -> whole.sge(0, region, 0, region.length()));
            }
        }
    }

    /** Soft-RoCE of Linux 7.2 keeps 16 bytes a page in one piece that kzalloc makes, of 4 MiB at most: 1 GiB a region. */
    private static MemoryRegion register(ProtectionDomain pd, MemorySegment memory) {
        try {
            return pd.register(memory, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ);
        } catch (VerbsException e) {
            pd.register(memory.asSlice(0, 1L << 30), AccessFlag.LOCAL_WRITE).close();
            throw RefusedByDevice.saying(
                    e,
                    "ibv_reg_mr(",
                    "): ENOMEM (12): the kernel has no memory for this, or takes no region of 4,195,328 KiB;"
                            + " this process may lock any amount (on SoftiWARP of Linux 6.1: "
                            + VerbsErrors.lockedMemoryLimit() + ")");
        }
    }

    /** 4 GiB of one chunk, again and again, and a tail of its own. */
    @SuppressWarnings("restricted")
    private static MemorySegment map(Arena arena) throws IOException {
        try (var call = new NativeCall()) {
            int fd = call.integer(MEMFD_CREATE, call.allocateFrom("isthmus"), 0);
            assertTrue(fd >= 0, () -> Errno.describe(call.errno()));
            try (var file = new RandomAccessFile("/proc/self/fd/" + fd, "rw")) {
                file.setLength(CHUNK + TAIL);
            }
            long bytes = FOUR_GIB + TAIL;
            MemorySegment base =
                    map(call, MemorySegment.NULL, bytes, PROT_NONE, MAP_PRIVATE_ANONYMOUS_NORESERVE, -1, 0);
            MemorySegment memory = base.reinterpret(bytes, arena, nothing -> unmap(base, bytes));
            for (long offset = 0; offset < FOUR_GIB; offset += CHUNK) {
                map(call, memory.asSlice(offset), CHUNK, PROT_READ_WRITE, MAP_SHARED_FIXED, fd, 0);
            }
            map(call, memory.asSlice(FOUR_GIB), TAIL, PROT_READ_WRITE, MAP_SHARED_FIXED, fd, CHUNK);
            call.integer(Libc.CLOSE, fd);
            return memory;
        }
    }

    private static MemorySegment map(
            NativeCall call, MemorySegment where, long bytes, int protection, int flags, int fd, long offset) {
        MemorySegment mapped = call.pointer(Libc.MMAP, where, bytes, protection, flags, fd, offset);
        assertTrue(mapped.address() != -1, () -> Errno.describe(call.errno()));
        return mapped;
    }

    private static void unmap(MemorySegment base, long bytes) {
        try (var call = new NativeCall()) {
            call.integer(Libc.MUNMAP, base, bytes);
        }
    }
}
