// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import java.util.OptionalInt;

/**
 * The queues of a test.
 *
 * @param pairs how many queue pairs
 * @param txDepth how many sends may be outstanding on each
 * @param rxDepth how many receives are posted ahead on each, or on the shared receive queue
 * @param postList how many sends are posted in a call
 * @param cqMod one of this many sends is signaled
 * @param inline the largest inline send; empty for perftest's default
 * @param shared whether there is a shared receive queue
 * @param outstandingReads how many reads or atomics; 0 for the device's maximum
 */
record Queues(
        int pairs,
        int txDepth,
        int rxDepth,
        int postList,
        int cqMod,
        OptionalInt inline,
        boolean shared,
        int outstandingReads) {}
