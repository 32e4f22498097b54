// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.netty;

import dev.isthmus.nio.stream.Stream;
import dev.isthmus.nio.stream.StreamGroup;
import io.netty.channel.ChannelException;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Serves channels over RDMA on the thread of an event loop. All of them on one device share a completion queue, which
 * the thread polls: it makes no system call while there is traffic. When nothing has come for some microseconds, it
 * sleeps until the next completion.
 *
 * <p>The system property {@code isthmus.nio.selectPolling} says how many microseconds it polls, by default 10. With 0
 * it sleeps at once; a larger value trades processor time for latency.
 *
 * <p>A channel stays with the event loop with which it was first registered. Netty calls all methods.
 */
public final class RdmaIoHandler implements IoHandler {

    private static final InternalLogger LOG = InternalLoggerFactory.getInstance(RdmaIoHandler.class);
    private static final long POLLING_NANOS =
            TimeUnit.MICROSECONDS.toNanos(Math.max(0, Integer.getInteger("isthmus.nio.selectPolling", 10)));
    /** A channel that has been idle for so long gives back the buffers that it has written. */
    private static final long HELD_MILLIS = 20;

    private static final long NANOS_PER_MILLI = 1_000_000;

    private final ThreadAwareExecutor executor;
    private final StreamGroup group;
    private final AtomicBoolean asleep = new AtomicBoolean(); // or about to be; whoever sets it to false wakes it
    private final Set<RdmaIoRegistration> registrations = new HashSet<>();
    private Stream[] found = {};
    private RdmaIoRegistration[] queued = new RdmaIoRegistration[16]; // for the next turn
    private int queuedCount;
    private RdmaIoRegistration[] handling = new RdmaIoRegistration[16];
    private final List<RdmaIoRegistration> holders = new ArrayList<>(); // of buffers that were written

    private RdmaIoHandler(ThreadAwareExecutor executor) {
        this.executor = executor;
        try {
            this.group = StreamGroup.open();
        } catch (IOException e) {
            throw new ChannelException(e);
        }
    }

    /**
     * A factory for the event loops of a group.
     *
     * @return the factory
     */
    public static IoHandlerFactory newFactory() {
        return new IoHandlerFactory() {

            @Override
            public IoHandler newHandler(ThreadAwareExecutor executor) {
                return new RdmaIoHandler(executor);
            }

            @Override
            public boolean isChangingThreadSupported() {
                return true;
            }
        };
    }

    StreamGroup group() {
        return group;
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return RdmaIoHandle.class.isAssignableFrom(handleType);
    }

    @Override
    public IoRegistration register(IoHandle handle) {
        if (!(handle instanceof RdmaIoHandle of)) {
            throw new IllegalArgumentException(handle + " is not of RDMA");
        }
        var registration = new RdmaIoRegistration(this, executor, of);
        registrations.add(registration);
        handle.registered();
        return registration;
    }

    void remove(RdmaIoRegistration registration) {
        registrations.remove(registration);
    }

    /** Gives it an event in the next turn. */
    void again(RdmaIoRegistration registration) {
        if (queuedCount == queued.length) {
            queued = Arrays.copyOf(queued, 2 * queuedCount);
        }
        queued[queuedCount++] = registration;
    }

    void holds(RdmaIoRegistration registration) {
        holders.add(registration);
    }

    @Override
    public int run(IoHandlerContext context) {
        try {
            int handled = handleReported(context);
            if (handled == 0 && context.canBlock()) {
                handled = poll(context);
                if (handled == 0 && context.canBlock()) {
                    sleep(context);
                    handled = handleReported(context);
                    if (handled == 0 && !holders.isEmpty()) {
                        holders.removeIf(each -> !each.confirmHeld());
                    }
                }
            }
            return handled;
        } catch (RuntimeException e) {
            LOG.warn("channels over RDMA go on after an error", e);
            return 0;
        }
    }

    private int handleReported(IoHandlerContext context) {
        if (!context.shouldReportActiveIoTime()) {
            return handle();
        }
        long begin = System.nanoTime();
        int handled = handle();
        context.reportActiveIoTime(handled == 0 ? 0 : System.nanoTime() - begin);
        return handled;
    }

    /** Handles what has arrived, and what was put off; returns for how many channels. */
    private int handle() {
        int handled = handleQueued();
        Stream[] now = group.poll(found);
        for (int i = 0; i < now.length && now[i] != null; i++) {
            if (now[i].attachment() instanceof RdmaIoRegistration registration) {
                registration.handle();
            }
            now[i] = null;
            handled++;
        }
        if (now.length > 0) {
            found = now;
        }
        return handled;
    }

    private int handleQueued() {
        int count = queuedCount;
        if (count == 0) {
            return 0;
        }
        RdmaIoRegistration[] now = queued;
        queued = handling;
        queuedCount = 0;
        handling = now;
        for (int i = 0; i < count; i++) {
            RdmaIoRegistration registration = now[i];
            now[i] = null;
            registration.handleQueued();
        }
        return count;
    }

    /** Polls for a while. */
    private int poll(IoHandlerContext context) {
        if (POLLING_NANOS == 0) {
            return 0;
        }
        int handled;
        long begin = System.nanoTime();
        do {
            Thread.onSpinWait();
            handled = handleReported(context);
        } while (handled == 0 && context.canBlock() && System.nanoTime() - begin < POLLING_NANOS);
        return handled;
    }

    private void sleep(IoHandlerContext context) {
        asleep.set(true);
        try {
            if (context.canBlock()) { // asked again, as who has added a task before may not have seen it asleep
                group.await(millis(context));
            }
        } finally {
            asleep.set(false);
        }
    }

    private long millis(IoHandlerContext context) {
        long most = holders.isEmpty() ? -1 : HELD_MILLIS;
        if (context.deadlineNanos() == -1) { // nothing is scheduled
            return most;
        }
        long millis = (context.delayNanos(System.nanoTime()) + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
        return most < 0 ? millis : Math.min(most, millis);
    }

    @Override
    public void wakeup() {
        if (!executor.isExecutorThread(Thread.currentThread()) && asleep.getAndSet(false)) {
            group.wakeup();
        }
    }

    @Override
    public void prepareToDestroy() {
        for (RdmaIoRegistration each : List.copyOf(registrations)) {
            try {
                each.close();
            } catch (Exception e) {
                LOG.debug("{} cannot be closed", each, e);
            }
        }
    }

    @Override
    public void destroy() {
        group.close();
    }
}
