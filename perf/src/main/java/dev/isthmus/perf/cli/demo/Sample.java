// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.cli.demo;

import dev.isthmus.perf.common.Side;

/**
 * One round of one side.
 *
 * @param path what the messages take: verbs or ucx
 * @param bytes the size of a message
 * @param side who was measured
 * @param round which round, from 1
 * @param medianMicros half the median round trip, microseconds
 * @param averageMicros half the mean round trip, microseconds
 */
public record Sample(String path, int bytes, Side side, int round, double medianMicros, double averageMicros) {}
