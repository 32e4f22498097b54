// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.ucx;

/**
 * Handles active messages of one id: {@code ucp_am_recv_callback_t}. Set it by {@link UcpActiveMessages#setHandler}.
 */
@FunctionalInterface
public interface UcpActiveMessageHandler {

    /**
     * Called for each message inside {@link UcpWorker#progress()}, on its thread, while UCX runs. It may send, also by
     * {@link UcpActiveMessage#reply(int, java.lang.foreign.MemorySegment) reply}, and close endpoints. It may neither
     * progress the worker nor close it. {@code progress()} throws what it throws, once UCX has returned. Other calls
     * that make the worker progress call it, too: creating and closing endpoints. Then the next {@code progress()}
     * throws. So does the next one after a send over the self transport, which delivers within the call.
     *
     * @param message valid until this returns, and the same object again for other messages
     */
    void onMessage(UcpActiveMessage message);
}
