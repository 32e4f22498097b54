/**
 * JMH benchmarks of the data path: what a call costs, and that it allocates nothing. Run by {@code isthmus perf jmh},
 * with the GC profiler.
 */
package dev.isthmus.perf.bench;
