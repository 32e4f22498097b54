// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.perftest;

import java.nio.file.Path;
import java.util.Optional;

/**
 * What is printed.
 *
 * @param gbits gigabits instead of mebibytes per second
 * @param peak whether a bandwidth test looks for its peak
 * @param both whether a bidirectional test prints each direction, too
 * @param histogram whether a latency test prints its times, sorted
 * @param unsorted whether it prints them in order
 * @param only the one figure to print: latency, bandwidth or message_rate; empty for all
 * @param json the file for perftest's JSON
 */
record Reporting(
        boolean gbits,
        boolean peak,
        boolean both,
        boolean histogram,
        boolean unsorted,
        Optional<String> only,
        Optional<Path> json) {}
