// SPDX-License-Identifier: Apache-2.0
/**
 * A stream of bytes over one RC queue pair, as librdmacm's rsocket speaks it (librdmacm/rsocket.c and librdmacm/docs/rsocket
 * of rdma-core): what the channels of {@link dev.isthmus.nio} are made of.
 */
package dev.isthmus.nio.stream;
