/** The launcher's commands that measure: perf, demo, compare, report and spark; and the entry point of all in Java. */
package dev.isthmus.perf;
