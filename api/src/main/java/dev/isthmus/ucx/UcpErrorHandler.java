// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

/**
 * Handles the failure of an endpoint: {@code ucp_err_handler_cb_t}.
 *
 * <p>{@link UcpWorker#progress()} calls it on the worker's thread, at most once for an endpoint, after UCX has
 * returned. It may use the worker, progress it, and close the endpoint. {@code progress()} throws what it throws.
 */
@FunctionalInterface
public interface UcpErrorHandler {

    /**
     * The endpoint failed, and sends nothing any more. Close it.
     *
     * @param endpoint the endpoint that failed; {@link UcpEndpoint#failureCode()} has the status as a number
     * @param status why
     */
    void onError(UcpEndpoint endpoint, UcsStatus status);
}
