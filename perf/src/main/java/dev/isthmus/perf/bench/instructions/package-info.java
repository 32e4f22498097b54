/**
 * {@code isthmus perf instructions}: how many instructions an operation takes, in Java and in the same loop in C. The
 * command runs programs in the testbed, whose clock counts instructions: the {@code *Program} classes, and the C
 * sources among the resources.
 */
package dev.isthmus.perf.bench.instructions;
