package dev.isthmus.samples;

import dev.isthmus.CmException;
import dev.isthmus.cm.CmEvent;
import dev.isthmus.cm.ConnectionId;
import dev.isthmus.cm.EventChannel;
import dev.isthmus.cm.PortSpace;
import dev.isthmus.loop.EventLoop;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.CompletionChannel;
import dev.isthmus.verbs.CompletionQueue;
import dev.isthmus.verbs.ProtectionDomain;
import dev.isthmus.verbs.QueuePair;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.RegisteredMemory;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.SharedReceiveQueue;
import dev.isthmus.verbs.WorkCompletions;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Does for {@link EchoClient} what {@link EchoServer} does, for any number of clients on one thread: it sleeps in epoll
 * until connections or messages come. The clients share a completion queue, and a receive queue with its memory, so that a
 * client that is idle costs a queue pair and nothing else. One that does not take its answers has to go.
 */
public final class EchoLoop implements AutoCloseable {

    private static final int MESSAGE = EchoServer.MESSAGE;
    private static final int BUFFERS = 256; // of all clients together: who finds none is told to try again
    private static final int SHARE = 16; // of one client: it has not taken so many answers

    private final EventLoop loop = EventLoop.open();
    private final EventChannel channel = EventChannel.open();
    private final ConnectionId listener = channel.createId(PortSpace.TCP);
    private final ProtectionDomain pd;
    private final CompletionChannel completionChannel;
    private final CompletionQueue completions;
    private final SharedReceiveQueue receives;
    private final RegisteredMemory memory;
    private final SendRequest send;
    private final ReceiveRequest receive;
    private final WorkCompletions done = WorkCompletions.allocate(32);
    private final Set<Client> clients = new HashSet<>();

    private static final class Client {
        final ConnectionId id;
        final QueuePair queuePair;
        int sends; // outstanding, each with a buffer that is wanted back
        boolean hasLeft;

        Client(ConnectionId id, QueuePair queuePair) {
            this.id = id;
            this.queuePair = queuePair;
        }
    }

    EchoLoop(InetSocketAddress address) {
        listener.bind(address);
        pd = listener.device().allocateProtectionDomain(); // all that come by this address use its device
        completionChannel = listener.device().createCompletionChannel();
        completions = listener.device().createCompletionQueue(2 * BUFFERS, config -> config.channel(completionChannel));
        receives = pd.createSharedReceiveQueue(config -> config.maxWr(BUFFERS));
        memory = pd.allocate((long) BUFFERS * MESSAGE, AccessFlag.LOCAL_WRITE);
        send = SendRequest.prepare(memory.region()).signaled(true);
        receive = ReceiveRequest.prepare(memory.region());
        for (int buffer = 0; buffer < BUFFERS; buffer++) {
            release(buffer);
        }
        loop.add(channel, this::onEvent);
        loop.add(completionChannel, this::onCompletions);
        completions.requestNotify(false);
        listener.listen();
        System.out.println("listening at " + address());
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

    /** Serves until {@link #stop}. */
    void run() throws InterruptedException {
        loop.run();
    }

    /** For any thread. */
    void stop() {
        loop.stop();
    }

    InetSocketAddress address() {
        return listener.localAddress();
    }

    private void onEvent(CmEvent event) {
        switch (event) {
            case CmEvent.ConnectRequest request -> accept(request.id());
            case CmEvent.Established established ->
                System.out.println(established.id().peerAddress() + " has come, clients: " + clients.size());
            case CmEvent.Disconnected _, CmEvent.ConnectError _, CmEvent.Unreachable _, CmEvent.Rejected _ ->
                leave(event.id());
            default -> {}
        }
    }

    private void accept(ConnectionId id) {
        poll(); // nothing is left of who has gone: the new queue pair may get the number of an old one
        try {
            QueuePair queuePair = id.createQueuePair(
                    pd,
                    completions,
                    completions,
                    config -> config.sharedReceiveQueue(receives).maxSendWr(SHARE));
            var client = new Client(id, queuePair);
            id.attach(client);
            queuePair.attach(client);
            clients.add(client);
            id.accept(config -> {});
        } catch (CmException e) { // it has gone meanwhile, or the device has no room for it
            if (id.attachment() == null) {
                id.close();
            } else {
                remove((Client) id.attachment());
            }
        }
    }

    private void leave(ConnectionId id) {
        if (id.attachment() instanceof Client client && !client.hasLeft) {
            client.hasLeft = true;
            System.out.println(id.peerAddress() + " has left");
            id.disconnect(); // what is outstanding completes now, with an error
            removeIfDone(client);
        }
    }

    private void onCompletions(CompletionQueue queue) {
        queue.requestNotify(false); // before the polls: what comes after them is told of
        poll();
    }

    private void poll() {
        for (int n = completions.poll(done); n > 0; n = completions.poll(done)) {
            for (int i = 0; i < n; i++) {
                onCompletion(i);
            }
        }
    }

    private void onCompletion(int i) {
        QueuePair from = completions.queuePair(done.qpNum(i));
        Client client = from == null ? null : (Client) from.attachment();
        boolean isReceive = done.wrId(i) < BUFFERS; // a completion with an error has no opcode
        long buffer = done.wrId(i) % BUFFERS;
        if (isReceive && done.isSuccess(i) && client != null && !client.hasLeft) {
            send.range(buffer * MESSAGE, done.byteLength(i)).wrId(BUFFERS + buffer);
            if (client.sends < SHARE && client.queuePair.tryPost(send)) {
                client.sends++;
                return; // the buffer is free when the echo has arrived
            }
            leave(client.id); // its share is used up
        }
        release(buffer);
        if (!isReceive && client != null) {
            client.sends--;
            removeIfDone(client);
        }
    }

    private void release(long buffer) {
        receives.post(receive.range(buffer * MESSAGE, MESSAGE).wrId(buffer));
    }

    private void removeIfDone(Client client) {
        if (client.hasLeft && client.sends == 0) {
            remove(client);
        }
    }

    private void remove(Client client) {
        clients.remove(client);
        client.queuePair.close();
        client.id.close();
    }

    @Override
    public void close() {
        List.copyOf(clients).forEach(this::remove);
        loop.close();
        receives.close();
        completions.close();
        completionChannel.close();
        memory.close();
        pd.close();
        listener.close();
        channel.close();
    }
}
