/**
 * {@code isthmus demo}: Java held against the C tools in one run. A {@link dev.isthmus.perf.demo.Duel} lets both sides
 * take turns, so that a machine that changes its speed changes it for both, and the
 * {@link dev.isthmus.perf.demo.DemoReport} keeps every round and compares medians.
 */
package dev.isthmus.perf.demo;
