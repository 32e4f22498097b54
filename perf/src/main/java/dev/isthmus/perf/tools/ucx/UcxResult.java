// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.tools.ucx;

/**
 * What was measured: {@code ucx_perf_result_t}. Times in seconds, bandwidths in bytes per second.
 *
 * @param iterations so far
 * @param percentile of the latency of the last messages
 * @param latencyNow since the last report
 * @param latency of all
 * @param bandwidthNow since the last report
 * @param bandwidth of all
 * @param rateNow messages per second since the last report
 * @param rate messages per second of all
 */
public record UcxResult(
        long iterations,
        double percentile,
        double latencyNow,
        double latency,
        double bandwidthNow,
        double bandwidth,
        double rateNow,
        double rate) {}
