// SPDX-License-Identifier: Apache-2.0
package dev.isthmus;

import dev.isthmus.internal.ArenaGuard;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * An arena that never frees memory that C still uses. {@link #close()} is refused while a UCX operation uses the
 * memory, or a region of it is registered. Use it instead of {@link Arena#ofConfined()} and {@link Arena#ofShared()}
 * wherever a device or UCX gets memory.
 *
 * <pre>{@code
 * try (var arena = GuardedArena.ofConfined()) {
 *     MemorySegment buffer = arena.allocate(4096);
 *     long receive = worker.tagReceive(buffer, tag);
 *     ...                                       // the close throws if the receive is still pending then
 * }
 * }</pre>
 *
 * <p>These keep it open:
 * <ul>
 *   <li>a UCX operation, from the call that begins it until UCX has ended it and the program, a future, or the close of
 *       the worker has asked for its state: {@link dev.isthmus.ucx.UcpRequests#isDone}. Cancelling a future, or letting
 *       it time out, does not end the operation. A close on the worker's own thread asks for all its operations;
 *   <li>a {@link dev.isthmus.verbs.MemoryRegion} or a registered {@link dev.isthmus.ucx.UcpMemory}, until it is closed.
 * </ul>
 *
 * <p>If a receive was in the middle of its transfer when its worker was closed, and did not end in time, it keeps the
 * arena open for ever: the peer may still write to that memory.
 *
 * <p>This holds for every segment of the arena, slices included, however it came about: also for what
 * {@link dev.isthmus.verbs.PageMemory} maps into it, and what {@link MemorySegment#reinterpret(long, Arena,
 * java.util.function.Consumer)} binds to it. A process that uses no guarded arena pays nothing for them, and an
 * operation with one allocates nothing.
 *
 * <p>The JDK's own arenas close at once. There the program has to make sure that C has finished with the memory.
 */
public final class GuardedArena implements Arena {

    private final ArenaGuard guard;

    private GuardedArena(ArenaGuard guard) {
        this.guard = guard;
    }

    /**
     * An arena that only the calling thread may use and close, as {@link Arena#ofConfined()}.
     *
     * @return the arena
     */
    public static GuardedArena ofConfined() {
        return new GuardedArena(ArenaGuard.confined("GuardedArena(confined)"));
    }

    /**
     * An arena that any thread may use and close, as {@link Arena#ofShared()}. An operation with its memory costs one
     * memory fence more than with a confined arena.
     *
     * @return the arena
     */
    public static GuardedArena ofShared() {
        return new GuardedArena(ArenaGuard.shared("GuardedArena(shared)"));
    }

    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        return guard.allocate(byteSize, byteAlignment);
    }

    @Override
    public MemorySegment.Scope scope() {
        return guard.scope();
    }

    /**
     * Frees the memory. Waits for no operation.
     *
     * @throws IllegalStateException if C uses the memory, with a message that names the users; if another thread is
     *     accessing it at this moment; or if it is closed already. After the first two it is still open, and you can
     *     close it again
     * @throws WrongThreadException if it is confined to another thread
     */
    @Override
    public void close() {
        guard.close();
    }

    /** Which of the two kinds it is. */
    @Override
    public String toString() {
        return guard.toString();
    }
}
