// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal.verbs;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.isthmus.internal.HotPath;
import dev.isthmus.internal.Linking;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The calls of the data path, which are inline in verbs.h: they go through the function pointers of the open device.
 *
 * <p>Functions are bound to the first opened device's driver, so the JIT sees constant addresses: docs/instructions.md,
 * "Lines written for the JIT". The methods that take no function call these. The others call devices of further
 * drivers, by plain calls. If the first driver is a {@link CriticalDriver}, calls of it that are sure to be short are
 * critical.
 *
 * <p>Pointers are passed as {@code long}, for the JIT, too. On x86-64 and aarch64 they are in the same register.
 */
public final class DataPath {

    private static final FunctionDescriptor POST_TYPE =
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final FunctionDescriptor POLL_TYPE = FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG);

    /** {@code int (*)(void *queue, void *first, void **bad)}: post_send, post_recv. May enter the kernel. */
    private static final MethodHandle POST = link(POST_TYPE);

    /** {@code int (*)(struct ibv_cq *, int, struct ibv_wc *)}: poll_cq. May enter the kernel. */
    private static final MethodHandle POLL = link(POLL_TYPE);

    /** A post_recv of a {@link CriticalDriver}, of at most {@link #MAX_CRITICAL_BATCH} requests. */
    private static final MethodHandle CRITICAL_POST = link(POST_TYPE, Linker.Option.critical(false));

    /** A poll_cq of a {@link CriticalDriver}, for at most {@link #MAX_CRITICAL_BATCH} completions. */
    private static final MethodHandle CRITICAL_POLL = link(POLL_TYPE, Linker.Option.critical(false));

    /**
     * The most completions or requests of one critical call, for which garbage collection waits:
     * docs/instructions.md, "Lines written for the JIT".
     */
    public static final int MAX_CRITICAL_BATCH = 64;

    /** {@code int (*)(struct ibv_cq *, int)}: req_notify_cq. May enter the kernel. */
    private static final MethodHandle NOTIFY = link(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT));

    /** {@code int ibv_get_cq_event(struct ibv_comp_channel *, struct ibv_cq **, void **)}: a system call. */
    private static final FunctionDescriptor GET_CQ_EVENT_OF =
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);

    private static final MethodHandle GET_CQ_EVENT =
            link(GET_CQ_EVENT_OF).bindTo(IbverbsLibrary.require().symbol("ibv_get_cq_event"));

    private static final MethodHandle GET_CQ_EVENT_OR_ERRNO = link(
                    GET_CQ_EVENT_OF, Linker.Option.captureCallState("errno"))
            .bindTo(IbverbsLibrary.require().symbol("ibv_get_cq_event"));

    /** {@code void ibv_ack_cq_events(struct ibv_cq *, unsigned int)}: takes a mutex of the queue. */
    private static final MethodHandle ACK_CQ_EVENTS = link(FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT))
            .bindTo(IbverbsLibrary.require().symbol("ibv_ack_cq_events"));

    /** The functions of a driver. Read them while its device is open: their table disappears with the device. */
    private record Functions(MemorySegment poll, MemorySegment send, MemorySegment receive) {

        private Optional<CriticalDriver> driver() {
            Optional<CriticalDriver> driver = CriticalDriver.of(poll);
            return driver.equals(CriticalDriver.of(receive)) ? driver : Optional.empty();
        }
    }

    /** The first device's functions, once a device was opened. */
    private static final AtomicReference<Functions> OPENED_FIRST = new AtomicReference<>();

    /** The first driver, bound at its first use, when a device is open. */
    private static final class First {
        static final Functions FUNCTIONS = OPENED_FIRST.get();
        static final Optional<CriticalDriver> DRIVER = FUNCTIONS.driver();
        static final boolean POLL_IS_CRITICAL = DRIVER.isPresent();
        static final boolean RECEIVE_IS_CRITICAL =
                DRIVER.filter(CriticalDriver::receives).isPresent();

        static final MethodHandle SEND = POST.bindTo(FUNCTIONS.send());

        /** If critical, for no more than {@link #MAX_CRITICAL_BATCH} requests. */
        static final MethodHandle RECEIVE = (RECEIVE_IS_CRITICAL ? CRITICAL_POST : POST).bindTo(FUNCTIONS.receive());

        /** For no more than {@link DataPath#maxShortPoll} completions. */
        static final MethodHandle POLL = (POLL_IS_CRITICAL ? CRITICAL_POLL : DataPath.POLL).bindTo(FUNCTIONS.poll());

        private First() {}
    }

    private DataPath() {}

    /** Notes that a device was opened. */
    static void opened(ContextOps ops) {
        if (OPENED_FIRST.get() == null) {
            OPENED_FIRST.compareAndSet(null, new Functions(ops.pollCq(), ops.postSend(), ops.postReceive()));
        }
    }

    static MethodHandle link(FunctionDescriptor descriptor, Linker.Option... options) {
        return Linking.downcall(descriptor, options);
    }

    /**
     * For how many completions {@link #poll} may take the short way with a poll_cq: any number if it is the first
     * driver's and gets plain calls, none if it is another driver's.
     */
    public static int maxShortPoll(MemorySegment function) {
        if (!function.equals(First.FUNCTIONS.poll())) {
            return 0;
        }
        return First.POLL_IS_CRITICAL ? MAX_CRITICAL_BATCH : Integer.MAX_VALUE;
    }

    /** Whether a post_send is the first driver's, for {@link #send}. */
    public static boolean isFirstSend(MemorySegment function) {
        return function.equals(First.FUNCTIONS.send());
    }

    /**
     * Whether a post_send that fails with ENOMEM and names no request has put all requests into the queue, where the
     * next post finds them. Soft-RoCE's does, because its system call comes last.
     */
    public static boolean queuesBeforeNotifying(MemorySegment function) {
        return CriticalDriver.of(function).filter(CriticalDriver.RXE::equals).isPresent();
    }

    /** Whether a post_recv is the first driver's, for {@link #receive}. */
    public static boolean isFirstReceive(MemorySegment function) {
        return function.equals(First.FUNCTIONS.receive());
    }

    /** Whether a poll_cq is a critical call for at most {@link #MAX_CRITICAL_BATCH} completions. */
    public static boolean isCriticalPoll(MemorySegment function) {
        return maxShortPoll(function) == MAX_CRITICAL_BATCH;
    }

    /** Whether a post_recv is a critical call for at most {@link #MAX_CRITICAL_BATCH} receives. */
    public static boolean isCriticalReceive(MemorySegment function) {
        return isFirstReceive(function) && First.RECEIVE_IS_CRITICAL;
    }

    /** Calls the first driver's post_send; returns 0, or an error number with {@code *bad} set. */
    @HotPath
    public static int send(long queue, long first, long bad) {
        try {
            return (int) First.SEND.invokeExact(queue, first, bad);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /**
     * Calls the first driver's post_recv, by a critical call if the driver is known to be quick and the receives are
     * few; returns 0, or an error number with {@code *bad} set.
     *
     * @param function that function
     */
    @HotPath
    public static int receive(MemorySegment function, int receives, long queue, long first, long bad) {
        try {
            if (First.RECEIVE_IS_CRITICAL && receives > MAX_CRITICAL_BATCH) {
                return (int) POST.invokeExact(function, queue, first, bad);
            }
            return (int) First.RECEIVE.invokeExact(queue, first, bad);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /** Calls any function that posts; returns 0, or an error number with {@code *bad} set. */
    @HotPath
    public static int post(MemorySegment function, long queue, long first, long bad) {
        try {
            return (int) POST.invokeExact(function, queue, first, bad);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /**
     * Calls poll_cq; returns the number of completions, or a negative number.
     *
     * @param mostInShort what {@link #maxShortPoll} returned for the function
     */
    @HotPath
    public static int poll(MemorySegment function, int mostInShort, long queue, int capacity, long completions) {
        try {
            if (capacity <= mostInShort) { // one comparison for two conditions
                return (int) First.POLL.invokeExact(queue, capacity, completions);
            }
            return (int) POLL.invokeExact(function, queue, capacity, completions);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /**
     * Calls the first driver's poll_cq for at most {@link #MAX_CRITICAL_BATCH} completions; returns their number, or a
     * negative number.
     */
    @HotPath
    public static int shortPoll(long queue, int capacity, long completions) {
        try {
            return (int) First.POLL.invokeExact(queue, capacity, completions);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /** Calls req_notify_cq; returns 0, or an error number. */
    @HotPath
    public static int requestNotify(MemorySegment function, long queue, int solicitedOnly) {
        try {
            return (int) NOTIFY.invokeExact(function, queue, solicitedOnly);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /**
     * Calls ibv_get_cq_event; returns 0, or -1 and errno. The first call does not capture errno, which would allocate
     * until C2 has compiled it; if it fails, a second one tells why.
     *
     * @param errno of {@link dev.isthmus.internal.NativeCall#allocateErrno}
     * @param event receives two pointers: the queue, and the queue's context
     */
    @HotPath
    public static int getCqEvent(MemorySegment errno, long channel, long event) {
        try {
            long context = event + ADDRESS.byteSize();
            int result = (int) GET_CQ_EVENT.invokeExact(channel, event, context);
            return result == 0 ? 0 : (int) GET_CQ_EVENT_OR_ERRNO.invokeExact(errno, channel, event, context);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /** Calls ibv_ack_cq_events. */
    @HotPath
    public static void ackCqEvents(long queue, int count) {
        try {
            ACK_CQ_EVENTS.invokeExact(queue, count);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    static AssertionError unexpected(Throwable t) {
        return new AssertionError("a downcall does not throw", t);
    }
}
