// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import dev.isthmus.GuardedArena;
import dev.isthmus.ucx.UcpContext;

/** Sends a message from one UCX worker to another in the same process, over whatever transport UCX chooses. */
public final class HelloUcx {

    private HelloUcx() {}

    /**
     * Needs no RDMA device.
     *
     * @param args none
     */
    public static void main(String[] args) {
        // README: begin
        try (var arena = GuardedArena.ofConfined();
                var context = UcpContext.create();
                var sender = context.createWorker();
                var receiver = context.createWorker();
                var endpoint = sender.createEndpoint(receiver.address())) {
            var buffer = arena.allocate(64);
            long receive = receiver.tagReceive(buffer, 7); // the operation's number
            long send = endpoint.tagSend(arena.allocateFrom("hello, UCX"), 7); // 0 if done at once
            while (!receiver.requests().isDone(receive) || !sender.requests().isDone(send)) {
                sender.progress(); // allocates nothing, never blocks
                receiver.progress();
            }
            System.out.println(buffer.getString(0));
            receiver.requests().release(receive);
            sender.requests().release(send);
        }
        // README: end
    }
}
