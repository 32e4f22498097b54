// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

import dev.isthmus.ucx.UcpFeature;
import java.util.List;

/**
 * A test as both ends know it: the content of the client's command line, which the server gets.
 *
 * @param sizes of the parts of a message, in bytes
 * @param stride the distance between the beginnings of parts; 0 if they are contiguous
 * @param iterations to measure; 0 for an endless run
 * @param warmUp iterations before them
 * @param warmUpSeconds the time limit of the warm-up
 * @param window how many operations may be outstanding
 * @param percentile the one that is printed
 * @param sendIov whether messages are sent from lists of buffers
 * @param receiveIov whether they are received into lists
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
        check(!sizes.isEmpty() && sizes.size() <= MAX_PARTS, "a message must have 1 to " + MAX_PARTS + " parts (-s)");
        check(
                sizes.stream().allMatch(size -> size >= 0 && size <= MAX_BYTES)
                        && sum(sizes) <= MAX_BYTES
                        && stride >= 0
                        && stride <= MAX_BYTES / sizes.size(),
                "a message must have at most " + MAX_BYTES + " bytes (-s, -i)");
        long minimum = stride;
        check(
                stride == 0 || sizes.stream().allMatch(size -> size <= minimum),
                "a part must not be longer than the stride (-i)");
        checkBytes(test.command, sum(sizes));
        check(iterations >= 0 && warmUp >= 0, "iterations must not be negative (-n, -w)");
        check(warmUpSeconds >= 0, "the warm-up's time must not be negative");
        check(window >= 1 && window <= MAX_WINDOW, "1 to " + MAX_WINDOW + " operations may be outstanding (-O)");
        check(percentile >= 0 && percentile <= 100, "a percentile must be 0 to 100 (-R)");
        check(header >= 0 && header <= MAX_HEADER, "a header must have at most " + MAX_HEADER + " bytes (-H)");
        check((flags & ~KNOWN_FLAGS) == 0, "only C has loopback (-l) and registered memory handles (-z)");
        boolean lists = sendIov || receiveIov;
        check(!lists || !test.command.isOneSided(), test.title() + " does not support lists of buffers (-D iov)");
        check(!receiveIov || test.command != UcxTest.Command.AM, "active messages arrive in one buffer (-D)");
    }

    private static void checkBytes(UcxTest.Command command, long bytes) {
        check(!command.isOneSided() || bytes > 0, "a message must have at least 1 byte (-s)");
        check(
                !command.isAtomic() || bytes == Integer.BYTES || bytes == Long.BYTES,
                "an atomic operation must have 4 or 8 bytes (-s)");
        check(command != UcxTest.Command.STREAM || bytes > 0, "a part of a stream must have at least 1 byte (-s)");
    }

    /** Throws if a condition does not hold. */
    static void check(boolean right, String otherwise) {
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

    /** How much memory a message takes, including the gaps between its parts. */
    long span() {
        return Math.max(1, stride == 0 ? bytes() : stride * sizes.size());
    }

    boolean has(int flag) {
        return (flags & flag) != 0;
    }

    /** The features that the context needs. */
    List<UcpFeature> features() {
        UcpFeature feature = test.feature(bytes());
        return has(WAKEUP) ? List.of(feature, UcpFeature.WAKEUP) : List.of(feature);
    }

    /** A short name for messages. */
    @Override
    public String toString() {
        return test.title() + " of " + bytes() + " bytes";
    }
}
