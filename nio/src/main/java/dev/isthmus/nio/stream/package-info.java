/**
 * A byte stream over one RC queue pair, in the protocol of librdmacm's rsocket (librdmacm/rsocket.c and
 * librdmacm/docs/rsocket of rdma-core). The channels of {@link dev.isthmus.nio} are built on it.
 */
package dev.isthmus.nio.stream;
