// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.Lifetime;
import dev.isthmus.internal.Natives;
import dev.isthmus.internal.OwnerThread;
import dev.isthmus.loop.EventLoop;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * What all parts of one worker share. It refers to none of them, and is complete before the first of them is made.
 *
 * <p>{@link UcpWorker} extends it rather than refer to it, for the JIT: docs/instructions.md, "Lines written for the
 * JIT".
 */
abstract class WorkerCore {

    /** There are events to deliver. */
    private static final int EVENTS = 1;

    /** The program is running inside a callback. */
    private static final int CALLBACK = 1 << 1;

    private final UcpContext context;
    private final EventLoop loop; // null if the program progresses it
    private final Lifetime lifetime;
    private final OwnerThread owner;
    private final long closeNanos;
    private final Arena arena;
    private final long handle;
    private int progressFlags; // one field for all that a progress must check besides C's part
    private boolean closing;

    WorkerCore(UcpContext context, String name, UcpWorkerConfig config, EventLoop loop) {
        this.context = context;
        this.loop = loop;
        this.lifetime = loop == null
                ? new Lifetime("UcpWorker", name, context.lifetime())
                : new Lifetime("UcpWorker", name, context.lifetime(), Natives.lifetime(loop));
        this.owner = new OwnerThread(lifetime, config.threadMode() == UcpThreadMode.SINGLE);
        this.closeNanos = nanos(config.closeTimeout());
        this.arena = Arena.ofShared(); // another thread may close it, after a hand-over
        this.handle = lifetime.open(() -> WorkerCreation.create(context, config, name));
    }

    /** {@code ucp_worker_h}. */
    @HotPath
    final long handle() {
        return handle;
    }

    @HotPath
    final OwnerThread owner() {
        return owner;
    }

    final Lifetime lifetime() {
        return lifetime;
    }

    final String name() {
        return lifetime.name();
    }

    final UcpContext context() {
        return context;
    }

    /** For what C may use as long as it has the worker. */
    final Arena arena() {
        return arena;
    }

    /** The loop that progresses it; null if the program does. */
    final EventLoop loop() {
        return loop;
    }

    final boolean has(UcpFeature feature) {
        return context.features().contains(feature);
    }

    /** The exception for a call that needs a feature. */
    final IllegalStateException without(UcpFeature feature) {
        return new IllegalStateException("the context of " + this + " was made without UcpFeature." + feature);
    }

    /** Whether a progress must do or check something besides C's part. */
    @HotPath
    final boolean isFlagged() {
        return progressFlags != 0;
    }

    /** There is something to do after the next progress: for a future, or for what a callback recorded. */
    final void requestDelivery() {
        progressFlags |= EVENTS;
    }

    final boolean isDeliveryRequested() {
        return (progressFlags & EVENTS) != 0;
    }

    /** Events were delivered, outside of callbacks, and perhaps not all. */
    final void eventsLeft(boolean any) {
        progressFlags = any ? EVENTS : 0;
    }

    /** The program's part of a callback begins, or the outermost has ended. */
    @HotPath
    final void insideCallback(boolean inside) {
        progressFlags = inside ? progressFlags | CALLBACK : progressFlags & ~CALLBACK;
    }

    /** Whether its close has begun. */
    final boolean isClosing() {
        return closing;
    }

    /** The close has begun, or was refused. */
    final void closing(boolean begun) {
        closing = begun;
    }

    /** Checks that the caller may create something that holds the worker open. */
    final void checkAcceptsChildren() {
        owner.check();
        if (closing) {
            throw new IllegalStateException(this + " is being closed");
        }
    }

    /** Whether the calling thread may wait. In a turn of the loop, it may not, as others would wait, too. */
    final boolean mayWait() {
        return loop == null || !loop.isCurrent();
    }

    /** The value of {@link System#nanoTime} when the limit of a close, or of one stage of it, is over. */
    final long closeDeadline() {
        return System.nanoTime() + closeNanos;
    }

    /** The value of {@link System#nanoTime} when this time is over. */
    static long deadline(Duration timeout) {
        return System.nanoTime() + nanos(timeout);
    }

    private static long nanos(Duration time) {
        return Math.max(0, TimeUnit.NANOSECONDS.convert(time)); // at most 292 years
    }
}
