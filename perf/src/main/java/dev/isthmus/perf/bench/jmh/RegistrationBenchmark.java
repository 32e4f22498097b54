// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.bench.jmh;

import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.Device;
import dev.isthmus.verbs.DeviceContext;
import dev.isthmus.verbs.MemoryRegion;
import dev.isthmus.verbs.ProtectionDomain;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The cost of registering and deregistering memory, by size: the kernel pins each page. It shows up to which size a
 * copy into registered memory is cheaper, and why programs register once.
 */
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class RegistrationBenchmark extends ThreadBenchmark {

    private static final int PAGE_BYTES = 4096;

    /** The largest is half of what a process may lock by default. */
    @Param({"4096", "65536", "1048576", "4194304"})
    private int bytes;

    private DeviceContext context;
    private ProtectionDomain pd;
    private Arena arena;
    private MemorySegment memory;
    private MemorySegment copy;

    /** Writes to the memory, so that its pages exist before. */
    @Setup(Level.Trial)
    public void open() {
        context = Device.first().open();
        pd = context.allocateProtectionDomain();
        arena = Arena.ofConfined();
        memory = arena.allocate(bytes, PAGE_BYTES).fill((byte) 1);
        copy = arena.allocate(bytes, PAGE_BYTES).fill((byte) 1);
    }

    /** Runs on the measuring thread. */
    @TearDown(Level.Trial)
    public void close() {
        pd.close();
        context.close();
        arena.close();
    }

    /** {@code ibv_reg_mr} and {@code ibv_dereg_mr}. */
    @Benchmark
    public int register() {
        try (MemoryRegion region = pd.register(memory, AccessFlag.LOCAL_WRITE)) {
            return region.lkey();
        }
    }

    /** The copy that a program makes instead. */
    @Benchmark
    public MemorySegment copy() {
        return copy.copyFrom(memory);
    }
}
