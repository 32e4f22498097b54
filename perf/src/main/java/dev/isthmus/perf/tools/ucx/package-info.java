/**
 * UCX's {@code ucx_perftest} in Java: its tests of the protocol layer, its flags, columns and exchange. Either end can
 * be C.
 *
 * <p>The exchange is that of ucx_perftest of UCX 1.13 to 1.19 on 64-bit little-endian machines: the client sends the
 * test as it lies in C's memory, and both ends send their worker address, key and memory address. The exchange names no
 * version, so each number is checked before use.
 */
package dev.isthmus.perf.tools.ucx;
