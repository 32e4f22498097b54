// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import dev.isthmus.GuardedArena;
import dev.isthmus.ucx.UcpAddress;
import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpFeature;
import dev.isthmus.ucx.UcpTagMessage;
import dev.isthmus.ucx.UcpWorker;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.EnumSet;
import java.util.function.BooleanSupplier;

/**
 * What UCX's ucp_hello_world does, and a peer for it. The server sends its worker's address over a TCP socket, the
 * client sends its own as a message, and the server answers with a text. Neither knows beforehand how long the other's
 * message is: it takes the message first, and receives it once it has room.
 */
public final class UcpHelloWorld {

    private static final long TAG = 0x1337a880L;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private UcpHelloWorld() {}

    /**
     * Needs no RDMA device.
     *
     * @param args {@code PORT TEXT} for the server, {@code HOST PORT} for the client; start the server first
     * @throws IOException if the peer goes away
     * @throws InterruptedException never: nobody interrupts it
     */
    public static void main(String... args) throws IOException, InterruptedException {
        if (args.length < 2) {
            System.err.println("usage: UcpHelloWorld PORT TEXT | HOST PORT");
            System.exit(2);
        }
        try (var context =
                UcpContext.create(config -> config.features(EnumSet.of(UcpFeature.TAG, UcpFeature.WAKEUP)))) {
            if (args[0].matches("[0-9]+")) {
                try (var socket = new ServerSocket(Integer.parseInt(args[0]))) {
                    serve(context, socket, args[1]);
                }
            } else {
                System.out.println(fetch(context, args[0], Integer.parseInt(args[1])));
            }
        }
    }

    /** Serves one client. */
    static void serve(UcpContext context, ServerSocket server, String text) throws IOException, InterruptedException {
        try (Socket socket = server.accept();
                var arena = GuardedArena.ofConfined();
                var worker = context.createWorker()) {
            byte[] mine = worker.address().toRawBytes();
            var out = new DataOutputStream(socket.getOutputStream());
            out.writeLong(Long.reverseBytes(mine.length)); // C writes numbers as they stand in memory
            out.write(mine);
            MemorySegment address = receive(worker, arena);
            try (var endpoint = worker.createEndpoint(UcpAddress.ofRaw(address.toArray(ValueLayout.JAVA_BYTE)))) {
                send(worker, endpoint, arena.allocateFrom(text));
                meet(worker, socket);
            }
        }
    }

    /** Returns the server's text. */
    static String fetch(UcpContext context, String host, int port) throws IOException, InterruptedException {
        try (var socket = new Socket(host, port);
                var arena = GuardedArena.ofConfined();
                var worker = context.createWorker()) {
            var in = new DataInputStream(socket.getInputStream());
            byte[] server = new byte[Math.toIntExact(Long.reverseBytes(in.readLong()))];
            in.readFully(server);
            try (var endpoint = worker.createEndpoint(UcpAddress.ofRaw(server))) {
                send(
                        worker,
                        endpoint,
                        arena.allocateFrom(
                                ValueLayout.JAVA_BYTE, worker.address().toRawBytes()));
                String text = receive(worker, arena).getString(0);
                meet(worker, socket);
                return text;
            }
        }
    }

    /** A message is its length, and then the data. */
    private static void send(UcpWorker worker, UcpEndpoint endpoint, MemorySegment data) throws InterruptedException {
        try (var arena = GuardedArena.ofConfined()) {
            MemorySegment message = arena.allocate(Long.BYTES + data.byteSize(), Long.BYTES);
            message.set(ValueLayout.JAVA_LONG, 0, data.byteSize());
            message.asSlice(Long.BYTES).copyFrom(data);
            long send = endpoint.tagSend(message, TAG);
            await(worker, () -> worker.requests().isDone(send));
            worker.requests().release(send);
        }
    }

    private static MemorySegment receive(UcpWorker worker, Arena arena) throws InterruptedException {
        try (var message = UcpTagMessage.of(worker)) {
            await(worker, () -> worker.tagTake(TAG, UcpWorker.EXACT_TAG, message));
            MemorySegment buffer = arena.allocate(message.length(), Long.BYTES);
            long receive = message.receive(buffer, 0, buffer.byteSize());
            await(worker, () -> worker.requests().isDone(receive));
            worker.requests().release(receive);
            return buffer.asSlice(Long.BYTES);
        }
    }

    /** Neither side closes before both are here: each may need the other's progress until then. */
    private static void meet(UcpWorker worker, Socket socket) throws IOException, InterruptedException {
        long flush = worker.flush();
        await(worker, () -> worker.requests().isDone(flush));
        worker.requests().release(flush);
        socket.getOutputStream().write(new byte[Integer.BYTES]);
        var in = new DataInputStream(socket.getInputStream());
        while (in.available() < Integer.BYTES) {
            if (worker.progress() == 0) {
                worker.wakeup().await(Duration.ofMillis(1));
            }
        }
        in.readInt();
    }

    private static void await(UcpWorker worker, BooleanSupplier so) throws InterruptedException {
        long begin = System.nanoTime();
        while (!so.getAsBoolean()) {
            if (worker.progress() == 0) {
                worker.wakeup().await(Duration.ofMillis(100)); // sleeps until there is something to progress
            }
            if (System.nanoTime() - begin > LIMIT.toNanos()) {
                throw new IllegalStateException("nothing from the peer within " + LIMIT);
            }
        }
    }
}
