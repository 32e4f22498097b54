// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.netty;

import dev.isthmus.nio.stream.StreamGroup;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.util.concurrent.atomic.AtomicBoolean;

/** The registration of a channel. Any thread may use it. */
final class RdmaIoRegistration implements IoRegistration {

    private final RdmaIoHandler handler;
    private final ThreadAwareExecutor executor;
    private final RdmaIoHandle handle;
    private final AtomicBoolean cancelled = new AtomicBoolean();
    private boolean holds; // it is among those that hold buffers; used on the loop's thread
    private boolean queued; // for the next turn; used on the loop's thread

    RdmaIoRegistration(RdmaIoHandler handler, ThreadAwareExecutor executor, RdmaIoHandle handle) {
        this.handler = handler;
        this.executor = executor;
        this.handle = handle;
    }

    StreamGroup group() {
        return handler.group();
    }

    /** Itself, as event loops of Netty hand out registrations of their own around it. */
    @Override
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // as Netty's interface is
    public <T> T attachment() {
        return (T) this;
    }

    @Override
    public long submit(IoOps ops) {
        if (ops != RdmaIoOps.AGAIN) {
            throw new IllegalArgumentException(ops + " is not of RDMA");
        }
        if (!isValid()) {
            return -1;
        }
        if (executor.isExecutorThread(Thread.currentThread())) {
            again();
        } else {
            executor.execute(this::again);
        }
        return 0;
    }

    private void again() {
        if (!queued && isValid()) {
            queued = true;
            handler.again(this);
        }
    }

    /** Hands it the event that it was queued for. */
    void handleQueued() {
        queued = false;
        handle();
    }

    void handle() {
        if (isValid()) {
            handle.handle(this, RdmaIoEvent.CHANGED);
        }
    }

    @Override
    public boolean isValid() {
        return !cancelled.get();
    }

    @Override
    public boolean cancel() {
        if (!cancelled.compareAndSet(false, true)) {
            return false;
        }
        if (executor.isExecutorThread(Thread.currentThread())) {
            handler.remove(this);
            handle.unregistered();
        } else {
            executor.execute(() -> {
                handler.remove(this);
                handle.unregistered();
            });
        }
        return true;
    }

    /** The channel holds buffers until the device has read them. */
    void holds() {
        if (!holds) {
            holds = true;
            handler.holds(this);
        }
    }

    /** Has the device report what it has read; returns whether the channel still holds buffers. */
    boolean confirmHeld() {
        holds = isValid() && handle.confirmHeld();
        return holds;
    }

    /** Closes the channel. */
    void close() throws Exception {
        cancel();
        handle.close();
    }
}
