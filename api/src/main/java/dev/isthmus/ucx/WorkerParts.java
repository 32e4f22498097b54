// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

/**
 * What a worker consists of, for the classes of this package that need a part of it: the account of its operations, the kinds
 * of operations, and what goes on beside them. Made once, when all of it is there.
 *
 * @param active null without the feature
 */
record WorkerParts(
        Operations operations,
        PendingOperations pending,
        AsyncRequests async,
        TagOperations tags,
        StreamOperations streams,
        OrderOperations order,
        RemoteOperations remote,
        AmOperations active,
        WorkerCallbacks callbacks,
        EndpointFailures failures,
        ConnectionRequests connections,
        WorkerNews news,
        WorkerClose close) {

    /** The closes of endpoints that take their time. */
    EndpointCloses closes() {
        return news.closes();
    }
}
