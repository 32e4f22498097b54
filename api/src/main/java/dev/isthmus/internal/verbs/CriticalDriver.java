// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.verbs;

import dev.isthmus.internal.SharedObject;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The drivers whose polls are critical calls, {@link java.lang.foreign.Linker.Option#critical}: the thread stays in the
 * Java state, and garbage collection waits for it. So the source of each driver listed here must show that these
 * functions make no system call, write no message, call nothing back, and end after a few instructions for each
 * completion or request. It must also show that no other Java thread holds the lock that they take: the JVM may have
 * stopped that thread, and would then wait for one that waits for the lock. The source was read in rdma-core 44 and 64,
 * and searched for such calls in 25 to 57. What this saves: docs/instructions.md, "Lines written for the JIT".
 *
 * <p>For other drivers, the source shows the opposite. {@code mlx5_poll_cq} (providers/mlx5/cq.c) writes lines for most
 * completions in error, and if the environment says so, it then sleeps forever, or spins before it returns. When a
 * queue looks full, {@code mlx5_post_recv} and {@code mlx5_post_send} (qp.c, mlx5_wq_overflow) take the lock of its
 * completion queue, which another thread holds between {@code ibv_start_poll} and {@code ibv_end_poll}.
 * {@code mlx4_poll_cq} (providers/mlx4/cq.c) prints some completions in error. {@code hfi1verbs} and {@code ipathverbs}
 * can poll by a system call. Drivers that are not named here have not been read, and get plain calls.
 */
enum CriticalDriver {

    /**
     * Soft-RoCE, providers/rxe/rxe.c: {@code rxe_poll_cq} copies completions out of memory that it shares with the
     * kernel, under the queue's spinlock. Only {@code cq_start_poll} and {@code rxe_resize_cq} also take that lock, and
     * like the poll, only the queue's owner may call these. {@code rxe_post_recv} and {@code rxe_post_one_recv} copy
     * requests into such memory, under a lock that nothing else takes. {@code rxe_post_send} makes a system call.
     */
    RXE("rxe", true),

    /**
     * SoftiWARP, providers/siw/siw.c: {@code siw_poll_cq} copies completions like Soft-RoCE's, under a lock that
     * nothing else waits for. {@code siw_post_recv} may log that a queue is full.
     */
    SIW("siw", false);

    /**
     * load_driver() in libibverbs/dynamic_driver.c. The number is the version of the interface between library
     * and driver.
     */
    private static final Pattern FILE = Pattern.compile("(?:.*/)?lib(\\w+)-rdmav\\d+\\.so");

    private final String library;
    private final boolean receives;

    /**
     * A driver.
     *
     * @param library its part of the shared object's name
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
     * The driver of a function, by the shared object that contains it: the code that is called counts, not the name of
     * the device. Empty for any other code, such as an interposed library.
     */
    static Optional<CriticalDriver> of(MemorySegment function) {
        return SharedObject.of(function).flatMap(object -> ofFile(object.file()));
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
