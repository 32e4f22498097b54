/** What several rooms of the suite use: files, progress, tables of times, medians, the description of a machine. */
package dev.isthmus.perf.common;
