package dev.isthmus.internal.verbs;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.internal.HotPath;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The calls of the data path, which verbs.h has inline: they go through the function pointers of the open device.
 *
 * <p>Pointers are passed as {@code long}, the same register on x86-64 and aarch64: a MemorySegment argument costs a
 * liveness check and, for a shared arena, an atomic increment per call.
 */
public final class DataPath {

    /** {@code int (*)(void *queue, void *first, void **bad)}: post_send, post_recv. May enter the kernel. */
    static final MethodHandle POST = link(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));

    /**
     * {@code int (*)(struct ibv_cq *, int, struct ibv_wc *)}: poll_cq. Not critical, although that would save 20 of an
     * empty poll's 104 instructions: some drivers poll by a system call, and some write to standard error or stop to be
     * looked at when they find an error, during all of which no garbage could be collected.
     */
    static final MethodHandle POLL = link(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG));

    /** {@code int (*)(struct ibv_cq *, int)}: req_notify_cq. May enter the kernel. */
    private static final MethodHandle NOTIFY = link(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT));

    /** {@code int ibv_get_cq_event(struct ibv_comp_channel *, struct ibv_cq **, void **)}: a system call. */
    private static final MethodHandle GET_CQ_EVENT = link(
                    FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG),
                    Linker.Option.captureCallState("errno"))
            .bindTo(IbverbsLibrary.require().symbol("ibv_get_cq_event"));

    private static final int FIRST_SEND = 1;
    private static final int FIRST_RECEIVE = 2;

    private DataPath() {}

    @SuppressWarnings("restricted")
    static MethodHandle link(FunctionDescriptor descriptor, Linker.Option... options) {
        return Linker.nativeLinker().downcallHandle(descriptor, options);
    }

    /** Whether a poll_cq is that of the driver that was there first, for {@link #poll}. */
    public static boolean isFirstPoll(MemorySegment function) {
        return function.equals(FirstDriver.Handles.POLL_FUNCTION);
    }

    /** Which function of the driver that was there first a post_send or post_recv is, for {@link #post}. */
    public static int firstPost(MemorySegment function) {
        if (function.equals(FirstDriver.Handles.SEND_FUNCTION)) {
            return FIRST_SEND;
        }
        return function.equals(FirstDriver.Handles.RECEIVE_FUNCTION) ? FIRST_RECEIVE : 0;
    }

    /**
     * Calls post_send or post_recv; 0, or an error number with {@code *bad} set.
     *
     * @param firstPost what {@link #firstPost} said of the function
     */
    @HotPath
    public static int post(MemorySegment function, int firstPost, long queue, long first, long bad) {
        try {
            if (firstPost == FIRST_SEND) {
                return (int) FirstDriver.Handles.SEND.invokeExact(queue, first, bad);
            }
            if (firstPost == FIRST_RECEIVE) {
                return (int) FirstDriver.Handles.RECEIVE.invokeExact(queue, first, bad);
            }
            return (int) POST.invokeExact(function, queue, first, bad);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /**
     * Calls poll_cq; the number of completions, or a negative number.
     *
     * @param firstPoll what {@link #isFirstPoll} said of the function
     */
    @HotPath
    public static int poll(MemorySegment function, boolean firstPoll, long queue, int capacity, long completions) {
        try {
            if (firstPoll) {
                return (int) FirstDriver.Handles.POLL.invokeExact(queue, capacity, completions);
            }
            return (int) POLL.invokeExact(function, queue, capacity, completions);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /** Calls req_notify_cq; 0, or an error number. */
    @HotPath
    public static int requestNotify(MemorySegment function, long queue, int solicitedOnly) {
        try {
            return (int) NOTIFY.invokeExact(function, queue, solicitedOnly);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /**
     * Calls ibv_get_cq_event; 0, or -1 and errno.
     *
     * @param errno of {@link dev.isthmus.internal.NativeCall#allocateErrno}
     * @param event two pointers: where it puts the queue, and the queue's context
     */
    @HotPath
    public static int getCqEvent(MemorySegment errno, long channel, long event) {
        try {
            return (int) GET_CQ_EVENT.invokeExact(errno, channel, event, event + ADDRESS.byteSize());
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    static AssertionError unexpected(Throwable t) {
        return new AssertionError("a downcall does not throw", t);
    }
}
