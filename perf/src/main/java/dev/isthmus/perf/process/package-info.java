/**
 * Child processes: how they are started, watched and ended. {@link dev.isthmus.perf.process.Children} owns them, {@link
 * dev.isthmus.perf.process.ToolRun} is a running program in C, and {@link dev.isthmus.perf.process.JavaChild} a JVM of
 * ours that obeys commands.
 */
package dev.isthmus.perf.process;
