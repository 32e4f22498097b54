/** The launcher's commands that are written in Java, and their entry point. */
package dev.isthmus.perf.cli;
