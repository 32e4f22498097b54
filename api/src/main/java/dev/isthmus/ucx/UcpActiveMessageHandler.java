// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

/**
 * Takes active messages of one id: {@code ucp_am_recv_callback_t}. Set by {@link UcpActiveMessages#setHandler}.
 */
@FunctionalInterface
public interface UcpActiveMessageHandler {

    /**
     * Called for each message, inside {@link UcpWorker#progress()} and on its thread, while UCX runs. It may send, also
     * by {@link UcpActiveMessage#reply(int, java.lang.foreign.MemorySegment) reply}, and close endpoints, but not progress
     * the worker or close it. What it throws comes out of {@code progress()} once UCX has returned. Other calls that make
     * the worker progress call it too: making and closing endpoints; then the next {@code progress()} throws. So does the
     * one after a send over the self transport, which delivers within the call.
     *
     * @param message valid until this returns, and the same object again for other messages
     */
    void onMessage(UcpActiveMessage message);
}
