/**
 * Child processes: how they are started, watched and ended. {@link dev.isthmus.perf.process.Children} owns them,
 * {@link dev.isthmus.perf.process.ToolRun} is a program in C at work, and {@link dev.isthmus.perf.process.JavaChild} a JVM of
 * ours that is told what to do.
 */
package dev.isthmus.perf.process;
