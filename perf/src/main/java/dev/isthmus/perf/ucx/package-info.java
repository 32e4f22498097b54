// SPDX-License-Identifier: Apache-2.0
/**
 * UCX' {@code ucx_perftest} in Java: its tests of the protocol layer, flags, columns and exchange, in both roles, and a
 * comparison of C, Java and JUCX.
 *
 * <p>The exchange is that of ucx_perftest of UCX 1.13 to 1.19 on machines of 64 bits, little-endian: the client sends the
 * test as C has it in memory, and both send worker address, key and where the memory is. It names no version, so each
 * number is checked before it is used.
 */
package dev.isthmus.perf.ucx;
