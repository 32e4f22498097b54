/**
 * perftest's tools, spoken by Java: the TCP exchange that {@code ib_send_lat} does before and after a run, the run
 * itself over verbs, and the report in its columns. Either end can be the C program.
 */
package dev.isthmus.perf.perftest;
