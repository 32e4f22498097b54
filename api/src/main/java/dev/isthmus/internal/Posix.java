// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.internal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.isthmus.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The functions of the C library with which threads wait for file descriptors. Linked on first use. */
public final class Posix {

    /** {@code POLLIN} of poll.h. */
    static final short POLLIN = 1;

    private static final int F_GETFL = 3;
    private static final int F_SETFL = 4;
    private static final int O_NONBLOCK = 0x800;
    private static final int EFD_CLOEXEC = 0x80000;
    private static final int EFD_NONBLOCK = O_NONBLOCK;
    private static final int EPOLL_CLOEXEC = 0x80000;
    private static final int EPOLL_CTL_ADD = 1;
    private static final int EPOLL_CTL_DEL = 2;
    private static final int EPOLL_CTL_MOD = 3;
    /** There is something to read, or the end of file. */
    static final int EPOLLIN = 1;

    private static final int EPOLLONESHOT = 1 << 30;

    /** {@code sizeof(struct epoll_event)}, which is packed on x86-64 only; the mask of events comes first. */
    public static final long EPOLL_EVENT = isX86() ? 12 : 16;

    /** The offset of the number with which the descriptor was added. */
    public static final long EPOLL_DATA = isX86() ? 4 : 8;

    private static final NativeLibrary LIBC = NativeLibrary.load("libc.so.6", "glibc", "libc6");
    private static final NativeFunction EVENTFD =
            LIBC.function("eventfd", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    private static final NativeFunction FCNTL =
            LIBC.variadicFunction("fcntl", 2, FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
    private static final NativeFunction EPOLL_CREATE =
            LIBC.function("epoll_create1", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final NativeFunction EPOLL_CTL =
            LIBC.function("epoll_ctl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS));
    private static final NativeFunction EPOLL_WAIT =
            LIBC.function("epoll_wait", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT));
    private static final FunctionDescriptor TRANSFER = FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG);
    private static final MethodHandle READ = link("read", TRANSFER);
    private static final MethodHandle WRITE = link("write", TRANSFER);

    /** What is written to an {@code eventfd}, whose counter holds more than will ever be added. */
    private static final MemorySegment ONE = Arena.global().allocateFrom(JAVA_LONG, 1L);

    /** Takes the value that is read from one, which nobody needs. */
    private static final MemorySegment READ_VALUE = Arena.global().allocate(JAVA_LONG);

    /**
     * {@code int ppoll(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *)}: poll with a timeout in
     * nanoseconds. Every wait comes through it, so it does not use the general call.
     */
    private static final MethodHandle PPOLL =
            link("ppoll", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));

    /** The call that {@link Epoll} waits by. */
    private static final MethodHandle EPOLL_WAIT_FOR =
            link("epoll_wait", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT));

    private Posix() {}

    private static boolean isX86() {
        return System.getProperty("os.arch").equals("amd64");
    }

    private static MethodHandle link(String name, FunctionDescriptor descriptor, Linker.Option... options) {
        return Linking.downcall(LIBC.symbol(name), descriptor, options);
    }

    /**
     * Waits for file descriptors: {@code ppoll} without a signal mask. Does not capture errno, so that it allocates
     * nothing even before C2 has compiled it: with valid memory it fails only because of a signal.
     *
     * @param descriptors the address of an array of {@code struct pollfd}
     * @param timeout the address of a {@code struct timespec}, or 0 for no limit
     * @return how many are ready; 0 also if a signal has ended the wait
     */
    static int poll(long descriptors, long count, long timeout) {
        try {
            return Math.max((int) PPOLL.invokeExact(descriptors, count, timeout, 0L), 0);
        } catch (Throwable t) {
            throw new AssertionError("a downcall does not throw", t);
        }
    }

    /** Creates a nonblocking {@code eventfd}. */
    public static int eventfd() {
        try (var call = new NativeCall()) {
            int fd = call.integer(EVENTFD, 0, EFD_CLOEXEC | EFD_NONBLOCK);
            if (fd < 0) {
                throw failure(EVENTFD, "", call.errno());
            }
            return fd;
        }
    }

    /** Makes an {@code eventfd} readable. */
    public static void signal(int eventfd) {
        transfer(WRITE, eventfd, ONE);
    }

    /** Makes an {@code eventfd} unreadable; does nothing if it is not readable. */
    public static void reset(int eventfd) {
        transfer(READ, eventfd, READ_VALUE);
    }

    private static void transfer(MethodHandle function, int fd, MemorySegment value) {
        try {
            long ignored = (long) function.invokeExact(fd, value, JAVA_LONG.byteSize());
        } catch (Throwable t) {
            throw new AssertionError("a downcall does not throw", t);
        }
    }

    /** Creates an {@code epoll} descriptor, which is readable while one of its descriptors is. */
    public static int epoll() {
        try (var call = new NativeCall()) {
            int fd = call.integer(EPOLL_CREATE, EPOLL_CLOEXEC);
            if (fd < 0) {
                throw failure(EPOLL_CREATE, "", call.errno());
            }
            return fd;
        }
    }

    /**
     * Adds a descriptor with a number to an {@code epoll} descriptor, which then reports some of its events. Closing a
     * descriptor removes it.
     */
    public static void watch(int epoll, int fd, int events, long number) {
        control(epoll, EPOLL_CTL_ADD, fd, events, number);
    }

    /** Changes the events of a descriptor that an {@code epoll} descriptor reports. */
    public static void rewatch(int epoll, int fd, int events, long number) {
        control(epoll, EPOLL_CTL_MOD, fd, events, number);
    }

    /**
     * Makes an {@code epoll} descriptor report once, by number, that another descriptor is readable, which may have
     * been added before.
     */
    static void watchOnce(int epoll, int fd, boolean known) {
        control(epoll, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, EPOLLIN | EPOLLONESHOT, fd);
    }

    private static void control(int epoll, int operation, int fd, int events, long number) {
        try (var call = new NativeCall()) {
            MemorySegment event = call.allocate(EPOLL_EVENT, Long.BYTES);
            event.set(JAVA_INT, 0, events);
            event.set(JAVA_LONG_UNALIGNED, EPOLL_DATA, number);
            if (call.integer(EPOLL_CTL, epoll, operation, fd, event) != 0) {
                throw failure(EPOLL_CTL, "fd " + fd, call.errno());
            }
        }
    }

    /** Removes a descriptor from an {@code epoll} descriptor; does nothing if it is gone because it was closed. */
    public static void unwatch(int epoll, int fd) {
        try (var call = new NativeCall()) {
            call.integer(EPOLL_CTL, epoll, EPOLL_CTL_DEL, fd, MemorySegment.NULL);
        }
    }

    /** Stores the numbers of descriptors that are readable or in error; returns how many there are. Does not wait. */
    static int ready(int epoll, long[] numbers) {
        return ready(epoll, numbers, 0);
    }

    /** Like {@link #ready(int, long[])}, but waits until there is one; returns 0 if a signal has ended the wait. */
    static int awaitReady(int epoll, long[] numbers) {
        return ready(epoll, numbers, -1);
    }

    private static int ready(int epoll, long[] numbers, int millis) {
        try (var call = new NativeCall()) {
            MemorySegment events = call.allocate(numbers.length * EPOLL_EVENT, Long.BYTES);
            int count = call.integer(EPOLL_WAIT, epoll, events, numbers.length, millis);
            if (count < 0 && call.errno() == Errno.EINTR) {
                return 0;
            }
            if (count < 0) {
                throw failure(EPOLL_WAIT, "", call.errno());
            }
            for (int i = 0; i < count; i++) {
                numbers[i] = events.get(JAVA_LONG_UNALIGNED, i * EPOLL_EVENT + EPOLL_DATA);
            }
            return count;
        }
    }

    /**
     * Waits for the descriptors of an {@code epoll} descriptor. Does not capture errno, so that it allocates nothing
     * even before C2 has compiled it: with an open descriptor and valid memory, {@code epoll_wait} can fail only with
     * EINTR.
     *
     * @param events the address of the array for events
     * @param most the length of the array
     * @param millis the longest wait in milliseconds; 0 does not wait, -1 has no limit
     * @return how many events; 0 also if a signal has ended the wait
     */
    public static int ready(int epoll, long events, int most, int millis) {
        try {
            return Math.max((int) EPOLL_WAIT_FOR.invokeExact(epoll, events, most, millis), 0);
        } catch (Throwable t) {
            throw new AssertionError("a downcall does not throw", t);
        }
    }

    /** From now on, a read from the descriptor returns EAGAIN instead of blocking. */
    static void setNonBlocking(int fd) {
        try (var call = new NativeCall()) {
            int flags = call.integer(FCNTL, fd, F_GETFL, 0);
            if (flags < 0 || call.integer(FCNTL, fd, F_SETFL, flags | O_NONBLOCK) < 0) {
                throw failure(FCNTL, "fd " + fd, call.errno());
            }
        }
    }

    public static void close(int fd) {
        try (var call = new NativeCall()) {
            call.integer(Libc.CLOSE, fd); // Linux has closed it, whatever this returns
        }
    }

    private static VerbsException failure(NativeFunction f, String what, int errno) {
        return new VerbsException(
                f.name(), what, errno, errno == Errno.EMFILE ? "too many open files: check ulimit -n" : "");
    }
}
