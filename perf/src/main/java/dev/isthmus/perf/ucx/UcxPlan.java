// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.ucx;

import dev.isthmus.ucx.UcpFeature;
import java.util.List;

/**
 * A test as both ends know it: what the client's command line says, and what goes to the server.
 *
 * @param sizes of the parts of a message, in bytes
 * @param stride from the begin of a part to that of the next; 0 for one behind the other
 * @param iterations that are measured; 0 for no end
 * @param warmUp iterations before them
 * @param warmUpSeconds when the warm-up is to end all the same
 * @param window how many operations may be outstanding
 * @param percentile the one that is printed
 * @param sendIov whether messages are sent from lists of buffers
 * @param receiveIov whether they are received into such
 * @param header of an active message, in bytes
 */
record UcxPlan(
        UcxTest test,
        List<Long> sizes,
        long stride,
        long iterations,
        long warmUp,
        double warmUpSeconds,
        int window,
        double percentile,
        boolean sendIov,
        boolean receiveIov,
        long header,
        int flags) {

    /** {@code UCX_PERF_TEST_FLAG_ONE_SIDED}: the target does not progress. */
    static final int ONE_SIDED = 1 << 2;

    static final int MAP_NONBLOCK = 1 << 3;
    static final int TAG_WILDCARD = 1 << 4;
    static final int TAG_PROBE = 1 << 5;
    static final int VERBOSE = 1 << 7;
    static final int STREAM_RECEIVE_DATA = 1 << 8;
    static final int WAKEUP = 1 << 10;
    static final int ERROR_HANDLING = 1 << 11;

    private static final int KNOWN_FLAGS = ONE_SIDED
            | MAP_NONBLOCK
            | TAG_WILDCARD
            | TAG_PROBE
            | VERBOSE
            | STREAM_RECEIVE_DATA
            | WAKEUP
            | ERROR_HANDLING;

    private static final int MAX_PARTS = 1 << 10;
    private static final int MAX_WINDOW = 1 << 14;
    private static final long MAX_BYTES = 1L << 32;
    private static final long MAX_HEADER = 1L << 16;

    UcxPlan {
        sizes = List.copyOf(sizes);
        check(!sizes.isEmpty() && sizes.size() <= MAX_PARTS, "a message has 1 to " + MAX_PARTS + " parts (-s)");
        check(
                sizes.stream().allMatch(size -> size >= 0 && size <= MAX_BYTES)
                        && sum(sizes) <= MAX_BYTES
                        && stride >= 0
                        && stride <= MAX_BYTES / sizes.size(),
                "a message has at most " + MAX_BYTES + " bytes (-s, -i)");
        long minimum = stride;
        check(stride == 0 || sizes.stream().allMatch(size -> size <= minimum), "a part is longer than the stride (-i)");
        checkBytes(test.command(), sum(sizes));
        check(iterations >= 0 && warmUp >= 0, "iterations are not negative (-n, -w)");
        check(warmUpSeconds >= 0, "the warm-up's time is not negative");
        check(window >= 1 && window <= MAX_WINDOW, "1 to " + MAX_WINDOW + " operations may be outstanding (-O)");
        check(percentile >= 0 && percentile <= 100, "a percentile is 0 to 100 (-R)");
        check(header >= 0 && header <= MAX_HEADER, "a header has at most " + MAX_HEADER + " bytes (-H)");
        check((flags & ~KNOWN_FLAGS) == 0, "loopback (-l) and registered memory handles (-z) are C's alone");
        boolean lists = sendIov || receiveIov;
        check(!lists || !test.command().isOneSided(), test.title() + " has no lists of buffers (-D iov)");
        check(!receiveIov || test.command() != UcxTest.Command.AM, "active messages come into one buffer (-D)");
    }

    private static void checkBytes(UcxTest.Command command, long bytes) {
        check(!command.isOneSided() || bytes > 0, "a message has at least 1 byte (-s)");
        check(
                !command.isAtomic() || bytes == Integer.BYTES || bytes == Long.BYTES,
                "an atomic operation has 4 or 8 bytes (-s)");
        check(command != UcxTest.Command.STREAM || bytes > 0, "a part of a stream has at least 1 byte (-s)");
    }

    private static void check(boolean right, String otherwise) {
        if (!right) {
            throw new IllegalArgumentException(otherwise);
        }
    }

    private static long sum(List<Long> sizes) {
        return sizes.stream().mapToLong(Long::longValue).sum();
    }

    /** The length of a message. */
    long bytes() {
        return sum(sizes);
    }

    /** How much memory holds one, the gaps between its parts included. */
    long span() {
        return Math.max(1, stride == 0 ? bytes() : stride * sizes.size());
    }

    boolean has(int flag) {
        return (flags & flag) != 0;
    }

    /** What the context must be able to do. */
    List<UcpFeature> features() {
        UcpFeature feature = test.feature(bytes());
        return has(WAKEUP) ? List.of(feature, UcpFeature.WAKEUP) : List.of(feature);
    }

    /** As much as can be said in one word for messages. */
    @Override
    public String toString() {
        return test.title() + " of " + bytes() + " bytes";
    }
}
