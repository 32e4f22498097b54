/**
 * {@code isthmus demo}: Java beside the C tools in one table. Each {@link dev.isthmus.perf.cli.demo.DemoPartCommand part}
 * is a small comparison in a process of its own, made by the programs of {@code compare}. The {@link
 * dev.isthmus.perf.cli.demo.DemoReport} keeps every round and compares medians.
 */
package dev.isthmus.perf.cli.demo;
