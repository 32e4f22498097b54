/** What the programs that interoperate with a C program share; each has a room below. */
package dev.isthmus.perf.tools;
