// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

/**
 * The kinds of operations that an endpoint can begin. All endpoints of a worker have the same.
 *
 * @param active null without the feature
 */
record EndpointOperations(
        TagOperations tags,
        StreamOperations streams,
        OrderOperations order,
        RemoteOperations remote,
        AmOperations active,
        AsyncRequests async) {}
