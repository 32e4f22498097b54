// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

/**
 * Learns that an endpoint failed: {@code ucp_err_handler_cb_t}.
 *
 * <p>Called at most once for an endpoint, by {@link UcpWorker#progress()} on the worker's thread, after UCX has
 * returned: it may use the worker, progress it, and close the endpoint. What it throws comes out of {@code progress()}.
 */
@FunctionalInterface
public interface UcpErrorHandler {

    /**
     * The endpoint failed and sends nothing any more. It is to be closed.
     *
     * @param endpoint the endpoint that failed; {@link UcpEndpoint#failureCode()} has the status as a number
     * @param status why
     */
    void onError(UcpEndpoint endpoint, UcsStatus status);
}
