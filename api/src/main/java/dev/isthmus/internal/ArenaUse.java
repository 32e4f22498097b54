// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import java.lang.invoke.VarHandle;

/**
 * How many operations of one user are in C with memory of one arena. Only the user's thread counts, so it needs no
 * atomic operation; the thread that closes the arena reads the count.
 *
 * <p>The arena of a shared guard may be closed by another thread at any time. So an operation first counts itself, and
 * then checks whether the arena is being closed. A close first announces itself, and then checks the counts. At least
 * one of them sees the other. A confined guard is closed by the thread that begins operations, as no other thread can
 * access its memory.
 */
public final class ArenaUse {

    /** An object that begins operations. */
    public interface User {

        /** Asks C which operations have ended, if the calling thread may. */
        void update();

        /** Whether it is closed, so that it begins nothing more. */
        boolean isClosed();

        /**
         * What uses the arena, such as "2 receives of UcpWorker(a)". Any thread may call it, so it may be
         * slightly outdated.
         */
        String describe(ArenaUse use, int count);
    }

    private final ArenaGuard guard;
    private final User user;
    private final boolean shared;
    private int count;

    ArenaUse(ArenaGuard guard, User user) {
        this.guard = guard;
        this.user = user;
        this.shared = guard.isShared();
    }

    /**
     * Counts an operation that is about to begin.
     *
     * @return this
     * @throws IllegalStateException if the arena is closed
     */
    @HotPath
    public ArenaUse begin() {
        count++;
        if (shared) {
            VarHandle.fullFence();
            if (guard.isClosing()) {
                checkOpen();
            }
        }
        return this;
    }

    private void checkOpen() {
        try {
            guard.checkOpen();
        } catch (IllegalStateException e) {
            count--;
            throw e;
        }
    }

    /** An operation has ended, or did not begin. */
    @HotPath
    public void end() {
        VarHandle.releaseFence();
        count--;
    }

    /** Ends a use, unless it is null because the arena has no guard. */
    @HotPath
    public static void endOf(ArenaUse use) {
        if (use != null) {
            use.end();
        }
    }

    /** Whether the arena is closed. */
    public boolean isClosed() {
        return guard.isClosed();
    }

    @SuppressWarnings("ReferenceEquality") // identity is meant
    boolean isOf(User one) {
        return user == one;
    }

    boolean isFinished() {
        return count == 0 && user.isClosed();
    }

    boolean isDropped() {
        return count != 0 && user.isClosed();
    }

    void updateUser() {
        if (count != 0) {
            user.update();
        }
    }

    int count() {
        return count;
    }

    String describe() {
        return user.describe(this, count);
    }
}
