// SPDX-License-Identifier: Apache-2.0
/** {@code isthmus perf stream}: rstream of rdma-core in Java, over sockets over RDMA. */
package dev.isthmus.perf.stream;
