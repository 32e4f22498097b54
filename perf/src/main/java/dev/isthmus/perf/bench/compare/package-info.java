/**
 * {@code isthmus compare}: measures, in one run, every way in which two JVMs or C programs of this machine can
 * communicate. The ways take turns, with payloads from 1 B to 1 MiB, in five benchmarks; its results are a JSON
 * and a CSV file.
 */
package dev.isthmus.perf.bench.compare;
