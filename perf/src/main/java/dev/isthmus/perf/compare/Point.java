// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.perf.compare;

/** One point of one curve: what is measured in a run of its own, several times. */
record Point(Way way, Benchmark benchmark, long bytes, int connections) {}
