// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import dev.isthmus.CmException;
import dev.isthmus.cm.ConnectionGroup;
import dev.isthmus.cm.GroupConfig;
import dev.isthmus.cm.GroupHandler;
import dev.isthmus.cm.GroupMember;
import dev.isthmus.loop.EventLoop;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.net.InetSocketAddress;
import java.util.function.Consumer;

/**
 * Sends back to each client what it has sent, as {@link EchoServer} does, but for thousands of clients on one thread.
 * The thread sleeps until connections or messages arrive. The clients share the buffers, so a client that does not take
 * its answers is disconnected.
 */
public final class EchoLoop implements GroupHandler {

    static final int BUFFERS = 256; // of all clients together: who finds none is told to try again
    private static final int SHARE = 16; // of one client: it has not taken so many answers
    private static final int MESSAGE = EchoServer.MESSAGE;

    final ConnectionGroup group;
    final InetSocketAddress address;
    private final SendRequest send;
    private final ReceiveRequest receive;

    EchoLoop(EventLoop loop, InetSocketAddress at) {
        Consumer<GroupConfig> config = of -> of.receives(BUFFERS).queuePair(queues -> queues.maxSendWr(SHARE));
        group = ConnectionGroup.open(loop, at.getAddress(), this, config);
        var memory = group.allocate(BUFFERS * MESSAGE, AccessFlag.LOCAL_WRITE);
        send = SendRequest.prepare(memory.region()).signaled(true);
        receive = ReceiveRequest.prepare(memory.region());
        for (int buffer = 0; buffer < BUFFERS; buffer++) {
            release(buffer);
        }
        address = group.listen(at.getPort(), of -> {});
        System.out.println("listening at " + address);
    }

    private void release(long buffer) {
        group.receives().post(receive.range(buffer * MESSAGE, MESSAGE).wrId(buffer));
    }

    @Override
    public void connected(GroupMember client) {
        client.attach(new int[1]); // how many answers are on their way
        System.out.println(client.peerAddress() + " connected, clients: " + group.size());
    }

    @Override
    public void completed(GroupMember client, WorkCompletions done, int i) {
        long buffer = done.wrId(i) % BUFFERS;
        int[] answers = (int[]) client.attachment();
        if (done.wrId(i) >= BUFFERS) { // an answer, sent or not
            answers[0]--;
        } else if (done.isSuccess(i) && client.isConnected()) {
            send.range(buffer * MESSAGE, done.byteLength(i)).wrId(BUFFERS + buffer);
            if (answers[0] < SHARE && client.queuePair().tryPost(send)) {
                answers[0]++;
                return; // the buffer is free when the answer has gone
            }
            client.disconnect(); // its share is used up
        }
        release(buffer);
    }

    @Override
    public void completedAfterEnd(WorkCompletions done, int i) {
        release(done.wrId(i) % BUFFERS);
    }

    @Override
    public void ended(GroupMember client, CmException how) {
        System.out.println(client.peerAddress() + " disconnected");
    }

    /**
     * Needs an RDMA device. Runs until you end it.
     *
     * @param args the address and port to listen at; the address must not be the wildcard
     * @throws InterruptedException never: nobody interrupts it
     */
    public static void main(String... args) throws InterruptedException {
        try (var loop = EventLoop.open();
                var _ = new EchoLoop(loop, new InetSocketAddress(args[0], Integer.parseInt(args[1]))).group) {
            loop.run();
        }
    }
}
