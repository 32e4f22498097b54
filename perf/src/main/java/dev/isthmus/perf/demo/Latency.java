// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.demo;

/**
 * What a round measured, one way.
 *
 * @param medianMicros half the median round trip, microseconds
 * @param averageMicros half the mean round trip, microseconds
 */
public record Latency(double medianMicros, double averageMicros) {}
