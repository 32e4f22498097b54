// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

/**
 * Learns that a client wants to connect: {@code ucp_listener_conn_callback_t}.
 *
 * <p>Called by {@link UcpWorker#progress()} on the thread of the listener's worker, after UCX has returned: it may use
 * the worker, progress it, and close the listener. What it throws comes out of {@code progress()}.
 */
@FunctionalInterface
public interface UcpConnectionHandler {

    /**
     * A client wants to connect, and waits to be accepted or rejected, now or later.
     *
     * @param request the client's; the listener rejects it when it is closed
     */
    void onConnection(UcpConnectionRequest request);
}
