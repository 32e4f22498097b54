// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

/**
 * The parts of a worker, for the classes of this package: the record of its operations, the kinds of operations, and
 * what goes on beside them. Created once, when all parts exist.
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
        PendingEvents pendingEvents,
        WorkerClose close) {

    /** The closes of endpoints that take a while. */
    EndpointCloses closes() {
        return pendingEvents.closes();
    }
}
