/**
 * Child processes: how they are started, watched and ended. {@link dev.isthmus.perf.process.Children} owns them,
 * {@link dev.isthmus.perf.process.ToolRun} is a running C program, and {@link dev.isthmus.perf.process.JavaChild}
 * starts a JVM of ours.
 */
package dev.isthmus.perf.process;
