/**
 * Child processes: how they are started, watched and ended. {@link dev.isthmus.perf.process.Children} owns them,
 * {@link dev.isthmus.perf.process.ToolRun} is a running C program, and {@link dev.isthmus.perf.process.JavaChild} a
 * JVM of ours that takes commands.
 */
package dev.isthmus.perf.process;
