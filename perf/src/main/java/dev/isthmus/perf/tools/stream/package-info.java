/** {@code isthmus perf stream}: rdma-core's rstream in Java, on sockets over RDMA. */
package dev.isthmus.perf.tools.stream;
