/** {@code isthmus report}: everything about a machine and Isthmus on it in one file, which its user can send. */
package dev.isthmus.perf.cli.report;
