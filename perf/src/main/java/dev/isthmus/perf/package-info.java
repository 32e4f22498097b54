/** The command line of the performance suite: {@code isthmus perf} and {@code isthmus demo}. */
package dev.isthmus.perf;
