// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static java.nio.ByteOrder.BIG_ENDIAN;

import dev.isthmus.CmException;
import dev.isthmus.cm.Connection;
import dev.isthmus.cm.Connector;
import dev.isthmus.cm.Listener;
import dev.isthmus.verbs.AccessFlag;
import dev.isthmus.verbs.ReceiveRequest;
import dev.isthmus.verbs.RegisteredMemory;
import dev.isthmus.verbs.SendOpcode;
import dev.isthmus.verbs.SendRequest;
import dev.isthmus.verbs.WorkCompletions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * What rdma-core's rping does, and a peer for it. The server reads the client's text from its memory and writes it back
 * to another place. A message tells the other side to go on after each step.
 */
public final class Rping implements AutoCloseable {

    private static final Duration DEADLINE = Duration.ofSeconds(30);

    /** A message: {@code __be64 buf; __be32 rkey; __be32 size;}. */
    private static final int MESSAGE = 16;

    private static final int MAX_SIZE = 64 * 1024 - 1;

    // Where things stand in memory: messages to the peer, from the peer, the text to send, and the text that came.
    private static final long TO_PEER = 0;
    private static final long FROM_PEER = 16;
    private static final long SOURCE = 32;
    private static final long SINK = SOURCE + MAX_SIZE + 1;

    private static final long RECEIVED = 1;
    private static final long SENT = 2;

    private final Connection connection;
    private final RegisteredMemory memory;
    private final WorkCompletions done = WorkCompletions.allocate(1);
    private int messages; // received and not used yet

    private Rping(Connection connection) {
        this.connection = connection;
        this.memory = (RegisteredMemory) connection.id().attachment();
    }

    /**
     * Needs an RDMA device on each side, and rping or this on the other: {@code rping -s -a ADDRESS -p PORT -C COUNT},
     * {@code rping -c -a ADDRESS -p PORT -C COUNT -V}.
     *
     * @param args {@code server} or {@code client}, the server's address and port, and how many pings
     * @throws IOException if the peer does something else
     * @throws InterruptedException never: nobody interrupts it
     */
    public static void main(String... args) throws IOException, InterruptedException {
        if (args.length < 3) {
            System.err.println("usage: Rping server ADDRESS PORT | client ADDRESS PORT COUNT");
            System.exit(2);
        }
        var address = new InetSocketAddress(args[1], Integer.parseInt(args[2]));
        if (args[0].equals("server")) {
            try (var listener = listen(address)) {
                System.out.println("served " + serve(listener) + " pings");
            }
        } else {
            int count = Integer.parseInt(args[3]);
            ping(address, count, 64);
            System.out.println(count + " pings came back as they were sent");
        }
    }

    static Listener listen(InetSocketAddress address) {
        return Listener.bind(address, config -> config.connections(setup -> setup.prepare(Rping::prepare)));
    }

    /** Serves one client until it disconnects; returns how many pings there were. */
    static int serve(Listener listener) throws IOException, InterruptedException {
        try (var server = new Rping(listener.accept(DEADLINE))) {
            int pings = 0;
            while (true) {
                try {
                    server.receive();
                } catch (CmException e) {
                    if (e.failure() != CmException.Failure.DISCONNECTED) {
                        throw e;
                    }
                    return pings;
                }
                server.serveOne();
                pings++;
            }
        }
    }

    /** Pings a server. */
    static void ping(InetSocketAddress address, int count, int size) throws IOException, InterruptedException {
        try (var client = new Rping(Connector.connect(address, DEADLINE, setup -> setup.prepare(Rping::prepare)))) {
            for (int i = 0; i < count; i++) {
                client.pingOne(i, size);
            }
        }
    }

    /** Before the peer can send: memory that it may read and write, and a receive. */
    private static void prepare(Connection connection) {
        RegisteredMemory memory = connection.allocate(
                SINK + MAX_SIZE + 1, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE);
        connection.id().attach(memory);
        postReceive(connection, memory);
    }

    private static void postReceive(Connection connection, RegisteredMemory memory) {
        connection
                .queuePair()
                .post(ReceiveRequest.prepare(memory.region())
                        .range(FROM_PEER, MESSAGE)
                        .wrId(RECEIVED));
    }

    private void pingOne(int number, int size) throws IOException, InterruptedException {
        byte[] text = text(number, size);
        memory.segment().asByteBuffer().put((int) SOURCE, text).put((int) SINK, new byte[size]);
        send(SOURCE, size); // the server reads it there
        receive(); // and has done so
        send(SINK, size); // it writes it there
        receive(); // and has done so
        var back = new byte[size];
        memory.segment().asByteBuffer().get((int) SINK, back);
        if (!java.util.Arrays.equals(text, back)) {
            throw new IOException("ping " + number + " came back as " + new String(back, StandardCharsets.US_ASCII));
        }
    }

    /** As rping has it: letters from A to z, another first one each time, and a zero at the end. */
    private static byte[] text(int number, int size) {
        var text = new StringBuilder("rdma-ping-" + number + ": ");
        for (int i = text.length(), c = 'A' + number % 58; i < size - 1; i++, c = c == 'z' ? 'A' : c + 1) {
            text.append((char) c);
        }
        return text.append('\0').toString().getBytes(StandardCharsets.US_ASCII);
    }

    private void serveOne() throws IOException, InterruptedException {
        var source = readRemoteBuffer();
        transfer(SendOpcode.RDMA_READ, source, source.size());
        send(SINK, 0); // go ahead
        receive();
        var sink = readRemoteBuffer();
        transfer(SendOpcode.RDMA_WRITE, sink, Math.min(source.size(), sink.size()));
        send(SINK, 0);
    }

    /** What the peer says of its memory: it decides where to read and write there, and nothing else. */
    private record RemoteBuffer(long address, int rkey, int size) {}

    private RemoteBuffer readRemoteBuffer() throws IOException {
        var message = memory.segment().asByteBuffer().order(BIG_ENDIAN);
        var buffer = new RemoteBuffer(
                message.getLong((int) FROM_PEER),
                message.getInt((int) FROM_PEER + 8),
                message.getInt((int) FROM_PEER + 12));
        if (buffer.size() < 1 || buffer.size() > MAX_SIZE) {
            throw new IOException("the peer offers " + buffer.size() + " bytes");
        }
        return buffer;
    }

    private void transfer(SendOpcode opcode, RemoteBuffer peer, int size) throws IOException, InterruptedException {
        post(SendRequest.prepare(memory.region())
                .opcode(opcode)
                .range(SOURCE, size)
                .remote(peer.address(), peer.rkey()));
    }

    /** Tells the peer of a part of this side's memory. */
    private void send(long offset, int size) throws IOException, InterruptedException {
        memory.segment()
                .asByteBuffer()
                .order(BIG_ENDIAN)
                .putLong((int) TO_PEER, memory.region().address() + offset)
                .putInt((int) TO_PEER + 8, memory.region().rkey())
                .putInt((int) TO_PEER + 12, size);
        post(SendRequest.prepare(memory.region()).range(TO_PEER, MESSAGE));
    }

    private void post(SendRequest request) throws IOException, InterruptedException {
        connection.queuePair().post(request.wrId(SENT).signaled(true));
        while (await() != SENT) {
            messages++;
        }
    }

    /** Waits for a message of the peer; the next one has a receive then, as the peer sends it after this side's. */
    private void receive() throws IOException, InterruptedException {
        if (messages == 0) {
            await();
            messages++;
        }
        messages--;
        postReceive(connection, memory);
    }

    private long await() throws IOException, InterruptedException {
        if (connection.await(done, DEADLINE) == 0) {
            throw new IOException("no answer from the peer");
        }
        if (!done.isSuccess(0)) {
            if (done.wrId(0) == RECEIVED) {
                return await(); // flushed: the connection has ended, which the next wait tells
            }
            throw new IOException("a request ended with " + done.status(0));
        }
        return done.wrId(0);
    }

    @Override
    public void close() {
        connection.close();
    }
}
