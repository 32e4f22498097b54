// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import dev.isthmus.GuardedArena;
import dev.isthmus.ucx.UcpConnectionRequest;
import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpFeature;
import dev.isthmus.ucx.UcpWorker;
import dev.isthmus.ucx.UcxVersion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * What UCX's ucp_client_server does, and a peer for it. A client connects to a server's socket address and sends
 * it texts, over a stream, as tagged messages, or as active messages. From UCX 1.14 on, the server sends one text
 * back when it has all of them, and then the client closes. With older versions, a client in C closes when it has
 * sent everything, and a server when it has received everything. A client here waits for the text or the close; from
 * the close alone it cannot tell whether everything has arrived.
 */
public final class UcpClientServer {

    private static final long TAG = 0xCAFE;
    private static final int ACTIVE_MESSAGE = 0;
    private static final int ACKNOWLEDGED_SINCE =
            14; // by the program in C: a client of UCX 1.13 dies of an active message
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final UcpWorker worker;
    private final UcpFeature way;
    private final Arena arena;
    private final List<MemorySegment> came = new ArrayList<>(); // by active messages
    private Throwable failure; // of a message whose data could not be fetched

    private UcpClientServer(UcpWorker worker, UcpFeature way, Arena arena) {
        this.worker = worker;
        this.way = way;
        this.arena = arena;
    }

    /**
     * Needs no RDMA device.
     *
     * @param args {@code server} or {@code client}; the server's address and port; {@code stream}, {@code tag} or {@code
     *     am}; how many texts; how long each is in bytes
     * @throws InterruptedException never: nobody interrupts it
     */
    public static void main(String... args) throws InterruptedException {
        if (args.length < 6) {
            System.err.println("usage: UcpClientServer server|client ADDRESS PORT am|stream|tag COUNT BYTES");
            System.exit(2);
        }
        var address = new InetSocketAddress(args[1], Integer.parseInt(args[2]));
        UcpFeature way = UcpFeature.valueOf(args[3].toUpperCase(Locale.ROOT));
        int count = Integer.parseInt(args[4]);
        long bytes = Long.parseLong(args[5]);
        try (var context = UcpContext.create(config -> config.features(EnumSet.of(way, UcpFeature.WAKEUP)))) {
            if (args[0].equals("server")) {
                serve(context, address, way, count, bytes, at -> System.out.println("listening at " + at))
                        .forEach(System.out::println);
            } else {
                send(context, address, way, count, bytes);
            }
        }
    }

    /** Receives the texts of one client. */
    static List<String> serve(
            UcpContext context,
            InetSocketAddress at,
            UcpFeature way,
            int count,
            long bytes,
            Consumer<InetSocketAddress> listening)
            throws InterruptedException {
        var requests = new ArrayDeque<UcpConnectionRequest>();
        try (var arena = GuardedArena.ofConfined();
                var worker = context.createWorker();
                var listener = worker.createListener(at, requests::add)) {
            var server = new UcpClientServer(worker, way, arena);
            if (way == UcpFeature.AM) {
                server.handleActiveMessages();
            }
            listening.accept(listener.address());
            server.await(() -> !requests.isEmpty());
            try (var endpoint = requests.poll().accept(worker, config -> {})) {
                List<MemorySegment> texts = server.receive(endpoint, count, bytes);
                server.acknowledge(endpoint, bytes);
                return texts.stream().map(text -> text.getString(0)).toList();
            }
        }
    }

    /** Sends texts to a server. */
    static void send(UcpContext context, InetSocketAddress to, UcpFeature way, int count, long bytes)
            throws InterruptedException {
        try (var arena = GuardedArena.ofConfined();
                var worker = context.createWorker();
                var endpoint = worker.createEndpoint(to, config -> {})) {
            var client = new UcpClientServer(worker, way, arena);
            BooleanSupplier acknowledged = client.beginToBeAcknowledged(endpoint, bytes);
            MemorySegment text = arena.allocateFrom(text(bytes));
            for (int i = 0; i < count; i++) {
                client.finish(client.beginToSend(endpoint, text));
            }
            client.await(() -> acknowledged.getAsBoolean() || endpoint.isFailed());
        }
    }

    private long beginToSend(UcpEndpoint endpoint, MemorySegment text) {
        return switch (way) {
            case STREAM -> endpoint.stream().send(text, 0, text.byteSize());
            case TAG -> endpoint.tagSend(text, TAG);
            default -> endpoint.amSend(ACTIVE_MESSAGE, text);
        };
    }

    private long beginToReceive(UcpEndpoint endpoint, MemorySegment text) {
        return way == UcpFeature.STREAM
                ? endpoint.stream().receiveAll(text, 0, text.byteSize())
                : worker.tagReceive(text, 0, text.byteSize(), TAG, UcpWorker.ANY_TAG);
    }

    /** Sends one text back, and waits for the client to close. Closing the worker ends what has not ended then. */
    private void acknowledge(UcpEndpoint endpoint, long bytes) throws InterruptedException {
        if (UcxVersion.loaded().minor() < ACKNOWLEDGED_SINCE) {
            return;
        }
        long ignored = beginToSend(endpoint, arena.allocateFrom(text(bytes)));
        await(endpoint::isFailed);
    }

    /**
     * Tells whether the text has come back. Call this before the first text is sent: a server in C that sends nothing back
     * closes as soon as it has everything, and then nothing can be begun here.
     */
    private BooleanSupplier beginToBeAcknowledged(UcpEndpoint endpoint, long bytes) {
        if (way == UcpFeature.AM) {
            handleActiveMessages();
            return () -> !came.isEmpty();
        }
        long receive = beginToReceive(endpoint, arena.allocate(bytes));
        return () -> worker.requests().isDone(receive);
    }

    /** So many bytes with the zero that ends a text in C. */
    static String text(long bytes) {
        var text = new StringBuilder();
        for (int i = 0; i < bytes - 1; i++) {
            text.append((char) ('A' + i % 26));
        }
        return text.toString();
    }

    /**
     * Begins all receives before it lets UCX progress: when the client closes, which its messages do not hold up, UCX
     * drops what has come of a stream and was not asked for.
     */
    private List<MemorySegment> receive(UcpEndpoint endpoint, int count, long bytes) throws InterruptedException {
        if (way == UcpFeature.AM) {
            await(() -> came.size() == count || failure != null);
            if (failure != null) {
                throw new IllegalStateException(
                        "a message has begun to come, and no more: " + failure.getMessage(), failure);
            }
            return List.copyOf(came);
        }
        var texts = new ArrayList<MemorySegment>();
        long[] receives = new long[count];
        for (int i = 0; i < count; i++) {
            MemorySegment text = arena.allocate(bytes);
            texts.add(text);
            receives[i] = beginToReceive(endpoint, text);
        }
        for (long receive : receives) {
            finish(receive);
        }
        return texts;
    }

    /** A short message comes with its data; of a long one the data is fetched. */
    private void handleActiveMessages() {
        worker.activeMessages().setHandler(ACTIVE_MESSAGE, message -> {
            MemorySegment buffer = arena.allocate(message.length());
            var ignored = message.receiveAsync(buffer).whenComplete((length, e) -> {
                if (e == null) {
                    came.add(buffer);
                } else {
                    failure = e;
                }
            });
        });
    }

    private void finish(long request) throws InterruptedException {
        await(() -> worker.requests().isDone(request));
        if (worker.requests().statusCode(request) != 0) {
            throw new IllegalStateException(
                    "the peer has gone: " + worker.requests().status(request));
        }
        worker.requests().release(request);
    }

    private void await(BooleanSupplier so) throws InterruptedException {
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
