// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.verbs;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.isthmus.internal.Libc;
import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.NativeFunction;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The drivers whose polls are critical calls, {@link java.lang.foreign.Linker.Option#critical}: the thread stays in
 * Java meanwhile, which saves some 20 instructions, and garbage collection waits for it. So the source of a driver
 * that stands here shows of these functions that they make no system call, write no message, call nobody back, and end
 * after some instructions for each completion or request; and that the lock they take is one that no other thread of
 * Java holds: a thread that holds it while the JVM has it stopped would be waited for by one that the JVM waits for.
 * Read in rdma-core 44 and 64, and searched for such calls in 25 to 57.
 *
 * <p>Of others that source shows the opposite: {@code mlx5_poll_cq} (providers/mlx5/cq.c) writes lines for most
 * completions in error, and sleeps for ever then, or spins before it returns, where the environment says so; when a
 * queue looks full, {@code mlx5_post_recv} and {@code mlx5_post_send} (qp.c, mlx5_wq_overflow) take the lock of its
 * completion queue, which another thread has between {@code ibv_start_poll} and {@code ibv_end_poll}. {@code
 * mlx4_poll_cq} (providers/mlx4/cq.c) prints some completions in error; {@code hfi1verbs} and {@code ipathverbs} can poll
 * by a system call. What is not named here has not been read, and is called plainly.
 */
enum CriticalDriver {

    /**
     * Soft-RoCE, providers/rxe/rxe.c: {@code rxe_poll_cq} copies completions out of memory that it shares with the
     * kernel, under the spinlock of the queue, which otherwise {@code cq_start_poll} takes and {@code rxe_resize_cq}:
     * both are for the queue's owner alone, as the poll is. {@code rxe_post_recv} and {@code rxe_post_one_recv} copy
     * requests into such memory, under a lock that nothing else takes. {@code rxe_post_send} makes a system call.
     */
    RXE("rxe", true),

    /**
     * SoftiWARP, providers/siw/siw.c: {@code siw_poll_cq} copies completions as Soft-RoCE's does, under a lock that
     * nothing else waits for. {@code siw_post_recv} may write to the log that a queue is full.
     */
    SIW("siw", false);

    /** load_driver() in libibverbs/dynamic_driver.c. The number is that of the interface between library and driver. */
    private static final Pattern FILE = Pattern.compile("(?:.*/)?lib(\\w+)-rdmav\\d+\\.so");

    private static final NativeFunction DLADDR = Libc.function("dladdr", JAVA_INT, ADDRESS, ADDRESS);

    /** {@code Dl_info} of dlfcn.h. */
    private static final MemoryLayout DL_INFO = MemoryLayout.structLayout(
            ADDRESS.withName("dli_fname"),
            ADDRESS.withName("dli_fbase"),
            ADDRESS.withName("dli_sname"),
            ADDRESS.withName("dli_saddr"));

    private final String library;
    private final boolean receives;

    /**
     * A driver.
     *
     * @param library its name in that of its shared object
     * @param receives whether a post of receives is critical, too
     */
    CriticalDriver(String library, boolean receives) {
        this.library = library;
        this.receives = receives;
    }

    /** Whether a post of receives is critical, too. */
    boolean receives() {
        return receives;
    }

    /**
     * The driver that a function is of, by the shared object that it stands in: what is called counts, and not what the
     * device is called. Empty for any other, such as a library that has put itself between.
     */
    static Optional<CriticalDriver> of(MemorySegment function) {
        try (var call = new NativeCall()) {
            MemorySegment info = call.allocate(DL_INFO);
            if (call.integer(DLADDR, function, info) == 0) { // in no shared object
                return Optional.empty();
            }
            return ofFile(NativeCall.string(info.get(ADDRESS, 0)));
        }
    }

    /** The driver of a shared object. */
    static Optional<CriticalDriver> ofFile(String path) {
        Matcher file = FILE.matcher(path);
        if (file.matches()) {
            for (CriticalDriver driver : values()) {
                if (driver.library.equals(file.group(1))) {
                    return Optional.of(driver);
                }
            }
        }
        return Optional.empty();
    }
}
