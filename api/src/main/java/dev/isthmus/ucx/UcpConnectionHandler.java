// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

/**
 * Handles the connection requests of a listener: {@code ucp_listener_conn_callback_t}.
 *
 * <p>{@link UcpWorker#progress()} calls it on the thread of the listener's worker, after UCX has returned. It may use
 * the worker, progress it, and close the listener. {@code progress()} throws what it throws.
 */
@FunctionalInterface
public interface UcpConnectionHandler {

    /**
     * A client wants to connect. Accept or reject it, now or later.
     *
     * @param request the client's request; the listener rejects it when it is closed
     */
    void onConnection(UcpConnectionRequest request);
}
