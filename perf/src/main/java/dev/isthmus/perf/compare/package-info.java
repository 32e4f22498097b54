/**
 * {@code isthmus compare}: every way that two JVMs or C programs of this machine can communicate by, in one run,
 * interleaved: payloads from 1 B to 1 MiB, five benchmarks, a report.
 */
package dev.isthmus.perf.compare;
