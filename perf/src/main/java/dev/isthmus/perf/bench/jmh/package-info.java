/**
 * JMH benchmarks: how long messages take, and the steps before and beside them. {@code isthmus perf jmh} runs them with
 * the GC profiler; {@code docs/micro-benchmarks.md} says what each of them times.
 */
package dev.isthmus.perf.bench.jmh;
