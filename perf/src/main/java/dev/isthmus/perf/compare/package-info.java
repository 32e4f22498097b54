/**
 * {@code isthmus compare}: all ways in which two JVMs or C programs on this machine can communicate, in one run,
 * interleaved: payloads from 1 B to 1 MiB, five benchmarks, a report.
 */
package dev.isthmus.perf.compare;
