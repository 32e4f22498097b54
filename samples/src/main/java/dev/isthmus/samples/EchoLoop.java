package dev.isthmus.samples;

import dev.isthmus.CmException;
import dev.isthmus.cm.ConnectionGroup;
import dev.isthmus.cm.GroupHandler;
import dev.isthmus.cm.GroupMember;
import dev.isthmus.loop.EventLoop;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.RegisteredMemory;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.net.InetSocketAddress;

/**
 * Does for {@link EchoClient} what {@link EchoServer} does, for any number of clients on one thread: it sleeps in epoll
 * until connections or messages come. The clients share what a {@link ConnectionGroup} has, so that one that is idle costs a
 * queue pair and nothing else. One that does not take its answers has to go.
 */
public final class EchoLoop implements GroupHandler, AutoCloseable {

    private static final int MESSAGE = EchoServer.MESSAGE;
    private static final int BUFFERS = 256; // of all clients together: who finds none is told to try again
    private static final int SHARE = 16; // of one client: it has not taken so many answers

    private final EventLoop loop = EventLoop.open();
    private final ConnectionGroup group;
    private final SendRequest send;
    private final ReceiveRequest receive;
    private final InetSocketAddress address;

    EchoLoop(InetSocketAddress at) {
        group = ConnectionGroup.open(
                loop,
                at.getAddress(),
                this,
                config ->
                        config.receives(BUFFERS).completions(2 * BUFFERS).queuePair(queues -> queues.maxSendWr(SHARE)));
        RegisteredMemory memory = group.allocate((long) BUFFERS * MESSAGE, AccessFlag.LOCAL_WRITE);
        send = SendRequest.prepare(memory.region()).signaled(true);
        receive = ReceiveRequest.prepare(memory.region());
        for (int buffer = 0; buffer < BUFFERS; buffer++) {
            release(buffer);
        }
        address = group.listen(at.getPort(), config -> {});
        System.out.println("listening at " + address);
    }

    private void release(long buffer) {
        group.receives().post(receive.range(buffer * MESSAGE, MESSAGE).wrId(buffer));
    }

    @Override
    public void connected(GroupMember client) {
        client.attach(new int[1]); // how many answers are on their way
        System.out.println(client.peerAddress() + " has come, clients: " + group.size());
    }

    @Override
    public void completed(GroupMember client, WorkCompletions done, int i) {
        boolean isReceive = done.wrId(i) < BUFFERS; // a completion with an error has no opcode
        long buffer = done.wrId(i) % BUFFERS;
        int[] answers = (int[]) client.attachment();
        if (isReceive && done.isSuccess(i) && client.isConnected()) {
            send.range(buffer * MESSAGE, done.byteLength(i)).wrId(BUFFERS + buffer);
            if (answers[0] < SHARE && client.queuePair().tryPost(send)) {
                answers[0]++;
                return; // the buffer is free when the echo has arrived
            }
            client.disconnect(); // its share is used up
        } else if (!isReceive) {
            answers[0]--;
        }
        release(buffer);
    }

    @Override
    public void completedAfterEnd(WorkCompletions done, int i) {
        release(done.wrId(i) % BUFFERS);
    }

    @Override
    public void ended(GroupMember client, CmException how) {
        System.out.println(client.peerAddress() + " has left");
    }

    InetSocketAddress address() {
        return address;
    }

    /** Serves until {@link #stop}. */
    void run() throws InterruptedException {
        loop.run();
    }

    /** For any thread. */
    void stop() {
        loop.stop();
    }

    @Override
    public void close() {
        group.close();
        loop.close();
    }

    /**
     * Needs an RDMA device. Runs until it is ended.
     *
     * @param args the address and port to listen at, the address not the wildcard
     * @throws InterruptedException never: nobody interrupts it
     */
    public static void main(String... args) throws InterruptedException {
        if (args.length < 2) {
            System.err.println("usage: EchoLoop ADDRESS PORT");
            System.exit(2);
        }
        try (var server = new EchoLoop(new InetSocketAddress(args[0], Integer.parseInt(args[1])))) {
            server.run();
        }
    }
}
