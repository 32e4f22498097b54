/** The commands of the launcher that are written in Java: perf, demo, compare, info, doctor, report and spark. */
package dev.isthmus.perf;
