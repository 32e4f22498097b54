/**
 * {@code isthmus compare}: measures, in one run, every way in which two JVMs or C programs of this machine can
 * communicate. The ways take turns, with payloads from 1 B to 1 MiB, in five benchmarks; its results are a JSON
 * and a CSV file.
 *
 * <p>A {@link dev.isthmus.perf.bench.compare.Comparison} makes the runs of a {@link
 * dev.isthmus.perf.bench.compare.Schedule}. A {@link dev.isthmus.perf.bench.compare.Runner} makes a run: of a tool in C,
 * which is started for it, or in two JVMs that stay. A {@link dev.isthmus.perf.bench.compare.Job} says what an end does.
 */
package dev.isthmus.perf.bench.compare;
