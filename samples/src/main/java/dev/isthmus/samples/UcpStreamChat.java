// SPDX-License-Identifier: Apache-2.0
package dev.isthmus.samples;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.isthmus.UcxException;
import dev.isthmus.ucx.UcpConnectionRequest;
import dev.isthmus.ucx.UcpContext;
import dev.isthmus.ucx.UcpEndpoint;
import dev.isthmus.ucx.UcpFeature;
import dev.isthmus.ucx.UcpStreamData;
import dev.isthmus.ucx.UcpWorker;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.EnumSet;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/**
 * Two people write to each other: each reads what the other types, line by line. The lines are bytes of a stream, and
 * arrive in pieces of any length; the program reads each piece in UCX's memory. When one side's input ends, it tells
 * the other, and the chat goes on until the other's input has ended, too.
 */
public final class UcpStreamChat {

    private static final byte END_OF_INPUT = 4; // what a terminal calls end of transmission
    private static final int MAX_LINE = 4096; // bytes of a line; the peer may send a longer one in several
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);

    private final UcpWorker worker;
    private final UcpEndpoint peer;
    private final Consumer<String> show;
    private final Queue<byte[]> typed = new ConcurrentLinkedQueue<>(); // filled by the thread that reads
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private CompletableFuture<Void> lastSent = CompletableFuture.completedFuture(null);
    private boolean hasEnded; // this side's input
    private boolean peerHasEnded;

    private UcpStreamChat(UcpWorker worker, UcpEndpoint peer, Consumer<String> show) {
        this.worker = worker;
        this.peer = peer;
        this.show = show;
    }

    /**
     * Needs no RDMA device.
     *
     * @param args {@code listen} or {@code connect}, and the listener's address and port
     * @throws InterruptedException never: nobody interrupts it
     */
    public static void main(String... args) throws InterruptedException {
        if (args.length < 3) {
            System.err.println("usage: UcpStreamChat listen ADDRESS PORT | connect ADDRESS PORT");
            System.exit(2);
        }
        var address = new InetSocketAddress(args[1], Integer.parseInt(args[2]));
        var keyboard = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (var context = context()) {
            if (args[0].equals("listen")) {
                listen(context, address, at -> System.out.println("listening at " + at), keyboard, System.out::println);
            } else {
                connect(context, address, keyboard, System.out::println);
            }
        }
    }

    static UcpContext context() {
        return UcpContext.create(config -> config.features(EnumSet.of(UcpFeature.STREAM, UcpFeature.WAKEUP)));
    }

    /** Chats with the first who connects; another one is rejected when the listener is closed. */
    static void listen(
            UcpContext context,
            InetSocketAddress at,
            Consumer<InetSocketAddress> listening,
            BufferedReader keyboard,
            Consumer<String> show)
            throws InterruptedException {
        var requests = new ArrayDeque<UcpConnectionRequest>();
        try (var worker = context.createWorker();
                var listener = worker.createListener(at, requests::add)) {
            listening.accept(listener.address());
            while (requests.isEmpty()) {
                progress(worker);
            }
            try (var peer = requests.poll().accept(worker, config -> {})) {
                new UcpStreamChat(worker, peer, show).chat(keyboard);
                long begin = System.nanoTime(); // who has connected closes first: then nothing is under way to it
                while (!peer.isFailed() && System.nanoTime() - begin < CLOSE_LIMIT.toNanos()) {
                    progress(worker);
                }
            }
        }
    }

    static void connect(UcpContext context, InetSocketAddress to, BufferedReader keyboard, Consumer<String> show)
            throws InterruptedException {
        try (var worker = context.createWorker();
                var peer = worker.createEndpoint(to, config -> {})) {
            new UcpStreamChat(worker, peer, show).chat(keyboard);
        }
    }

    private void chat(BufferedReader keyboard) throws InterruptedException {
        Thread.ofPlatform().daemon().start(() -> read(keyboard)); // it may wait for a key for ever
        try (var data = UcpStreamData.of(worker)) {
            while (!(hasEnded && peerHasEnded && lastSent.isDone())) {
                sendTyped();
                while (peer.stream().receiveData(data)) {
                    for (long i = 0; i < data.length(); i++) {
                        take(data.getByte(i));
                    }
                    data.release();
                }
                if (peer.isFailed()) {
                    show.accept("(the other one has gone)");
                    return;
                }
                progress(worker);
            }
            lastSent.join();
        } catch (UcxException e) {
            show.accept("(the other one has gone: " + e.getMessage() + ")");
        }
    }

    /** On a thread of its own: hands on what is typed, and wakes up the worker's thread. */
    private void read(BufferedReader keyboard) {
        try {
            for (String text = keyboard.readLine(); text != null; text = keyboard.readLine()) {
                give((text + "\n").getBytes(StandardCharsets.UTF_8));
            }
            give(new byte[] {END_OF_INPUT});
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void give(byte[] bytes) {
        typed.add(bytes);
        worker.wakeup().signal();
    }

    // One after the other: before the connection is made, UCX before 1.15 takes no more (UcpWorker.createEndpoint).
    private void sendTyped() {
        while (lastSent.isDone() && !typed.isEmpty()) {
            byte[] bytes = typed.poll();
            // Memory that the collector frees: this library holds it until UCX is done with it.
            lastSent = peer.stream().sendAsync(Arena.ofAuto().allocateFrom(JAVA_BYTE, bytes));
            hasEnded = bytes[0] == END_OF_INPUT;
        }
    }

    private void take(byte b) {
        if (b == END_OF_INPUT && line.size() == 0) {
            peerHasEnded = true;
            return;
        }
        if (b != '\n') {
            line.write(b);
        }
        if (b == '\n' || line.size() == MAX_LINE) {
            // A terminal obeys control characters, and the peer is not to command it.
            show.accept("> " + line.toString(StandardCharsets.UTF_8).replaceAll("\\p{Cntrl}", "?"));
            line.reset();
        }
    }

    private static void progress(UcpWorker worker) throws InterruptedException {
        if (worker.progress() == 0) {
            worker.wakeup().await(Duration.ofMillis(100)); // sleeps until there is something to do, or it is signalled
        }
    }
}
