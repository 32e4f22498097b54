// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.nio.stream;

/** What a stream and its peer speak. */
public enum StreamProtocol {
    /** Version 1 of the protocol of librdmacm's rsocket. */
    RSOCKET,
    /** Valkey over RDMA, which Valkey calls experimental: it can change with any version of Valkey. */
    VALKEY
}
