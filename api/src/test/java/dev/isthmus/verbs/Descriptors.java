// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.verbs;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.isthmus.internal.NativeCall;
import dev.isthmus.internal.NativeFunction;
import dev.isthmus.internal.NativeLibrary;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;

/** File descriptors as a program with its own event loop uses them: with the C library's poll and epoll. */
public final class Descriptors {

    private static final NativeLibrary LIBC = NativeLibrary.load("libc.so.6", "glibc", "libc6");
    private static final NativeFunction POLL =
            LIBC.function("poll", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
    private static final NativeFunction EPOLL_CREATE =
            LIBC.function("epoll_create1", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final NativeFunction EPOLL_CTL =
            LIBC.function("epoll_ctl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS));
    private static final NativeFunction EPOLL_WAIT =
            LIBC.function("epoll_wait", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT));
    private static final NativeFunction CLOSE = LIBC.function("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));

    private static final short POLLIN = 1;
    private static final int EPOLLIN = 1;
    private static final int EPOLL_CTL_ADD = 1;

    private Descriptors() {}

    /**
     * Whether poll and epoll both report the descriptor as readable within a time.
     *
     * @param fd the descriptor
     * @param timeoutMillis how long to wait
     * @return whether it is readable
     */
    public static boolean isReadable(int fd, int timeoutMillis) {
        boolean polled = poll(fd, timeoutMillis);
        boolean epolled = epoll(fd, polled ? timeoutMillis : 0);
        if (polled != epolled) {
            throw new AssertionError("poll says " + polled + ", epoll says " + epolled);
        }
        return polled;
    }

    private static boolean poll(int fd, int timeoutMillis) {
        try (var call = new NativeCall()) {
            MemorySegment pollfd = call.allocate(8, 4);
            pollfd.set(JAVA_INT, 0, fd);
            pollfd.set(JAVA_SHORT, 4, POLLIN);
            int ready = call.integer(POLL, pollfd, 1L, timeoutMillis);
            return ready == 1 && pollfd.get(JAVA_SHORT, 6) == POLLIN;
        }
    }

    private static boolean epoll(int fd, int timeoutMillis) {
        try (var call = new NativeCall()) {
            int epoll = call.integer(EPOLL_CREATE, 0);
            try {
                MemorySegment event = call.allocate(16, 8); // struct epoll_event: its first member is the mask
                event.set(JAVA_INT, 0, EPOLLIN);
                if (call.integer(EPOLL_CTL, epoll, EPOLL_CTL_ADD, fd, event) != 0) {
                    throw new AssertionError("epoll_ctl: errno " + call.errno());
                }
                int ready = call.integer(EPOLL_WAIT, epoll, event, 1, timeoutMillis);
                return ready == 1 && event.get(JAVA_INT, 0) == EPOLLIN;
            } finally {
                call.integer(CLOSE, epoll);
            }
        }
    }
}
