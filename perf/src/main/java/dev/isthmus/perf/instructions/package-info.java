// SPDX-License-Identifier: Apache-2.0
/**
 * {@code isthmus perf instructions}: how many instructions an operation takes, in Java and in the same loop in C. The
 * command runs programs of its own in the testbed, where the clock counts instructions: {@code *Program} is what runs
 * there, and so do the C sources among the resources.
 */
package dev.isthmus.perf.instructions;
