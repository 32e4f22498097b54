// SPDX-License-Identifier: Apache-2.0
/**
 * JMH benchmarks: how long messages take, and what has to be done before and beside them. Run by {@code isthmus perf jmh},
 * with the GC profiler; {@code docs/micro-benchmarks.md} says what each of them times.
 */
package dev.isthmus.perf.bench;
